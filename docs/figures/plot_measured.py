#!/usr/bin/env python3
"""Draws the table below "## Beside Open MPI" of docs/performance.md as SVG, to stdout:

    docs/figures/plot_measured.py docs/performance.md > docs/figures/measured.svg

A panel for each collective, a line for each number of members: how many times faster, over the size.
"""
import math
import re
import sys

WIDTH, HEIGHT, LEFT, TOP, GAP = 200, 150, 46, 40, 26  # of a panel, and around it
TICKS = [1, 2, 5, 10, 20]
COLOURS = ["#4477aa", "#ee6677", "#228833"]  # told apart by the colour-blind (Tol 2021)
MARKS = ["circle", "square", "diamond"]


def read_table(path):
    """The sizes, and {collective: {members: factors}}."""
    text = open(path, encoding="utf-8").read().split("\n## Beside Open MPI\n")[1]
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in text.split("\n## ")[0].split("\n") if line.startswith("|")]
    sizes = rows[0][2:]
    table = {}
    for collective, members, *cells in rows[2:]:
        table.setdefault(collective, {})[int(members)] = [float(re.match(r"[\d.]+", cell).group()) for cell in cells]
    return sizes, table


def height_of(factor):
    return TOP + HEIGHT * (1 - math.log(factor) / math.log(TICKS[-1]))


def mark(kind, x, y, colour):
    if kind == "circle":
        return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3.5" fill="{colour}"/>'
    turn = f' transform="rotate(45 {x:.1f} {y:.1f})"' if kind == "diamond" else ""
    return f'<rect x="{x - 3.2:.1f}" y="{y - 3.2:.1f}" width="6.4" height="6.4" fill="{colour}"{turn}/>'


def panel(left, collective, lines, sizes):
    step = WIDTH / len(sizes)
    places = [left + step * (i + 0.5) for i in range(len(sizes))]
    out = [f'<text x="{left + WIDTH / 2:.0f}" y="{TOP - 12}" text-anchor="middle" font-weight="bold">{collective}</text>']
    for tick in TICKS:
        y = height_of(tick)
        out.append(f'<path class="grid" d="M{left} {y:.1f} H{left + WIDTH}"/>')
        out.append(f'<text x="{left - 5}" y="{y + 4:.1f}" text-anchor="end">{tick}x</text>')
    for x, size in zip(places, sizes):
        out.append(f'<text x="{x:.1f}" y="{TOP + HEIGHT + 18}" text-anchor="middle">{size}</text>')
    for (members, factors), colour, kind in zip(sorted(lines.items()), COLOURS, MARKS):
        points = " ".join(f"{x:.1f},{height_of(factor):.1f}" for x, factor in zip(places, factors))
        out.append(f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="2"/>')
        out += [mark(kind, x, height_of(factor), colour) for x, factor in zip(places, factors)]
    return out


def main():
    sizes, table = read_table(sys.argv[1])
    width = LEFT + len(table) * (WIDTH + LEFT)
    bottom = TOP + HEIGHT + 18 + GAP
    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {bottom + 10}" width="{width}" height="{bottom + 10}" font-family="sans-serif" font-size="12">',
        "<style>text { fill: #333; } .grid { stroke: #ccc; fill: none; } @media (prefers-color-scheme: dark) { text { fill: #ddd; } .grid { stroke: #555; } }</style>",
    ]
    for i, (collective, lines) in enumerate(table.items()):
        out += panel(LEFT + i * (WIDTH + LEFT), collective, lines, sizes)
    members = sorted(next(iter(table.values())))
    for i, (number, colour, kind) in enumerate(zip(members, COLOURS, MARKS)):
        x = width / 2 - 130 + i * 100
        out += [mark(kind, x, bottom - 4, colour), f'<text x="{x + 9:.1f}" y="{bottom}">{number} members</text>']
    print("\n".join(out + ["</svg>"]))


main()
