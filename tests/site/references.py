#!/usr/bin/env python3
"""references.py SOURCE: what the pages of SOURCE refer to is there.

Links to files and to headings of pages; the files of sources and tests that pages name as `src/...`, `tests/...` and the like; the picture
that is drawn from a table of docs/performance.md, and the rows of this table that README has too.
"""
import pathlib
import re
import subprocess
import sys

source = pathlib.Path(sys.argv[1])
pages = sorted(p for d in (".", "docs", "examples", "topology", "src", "laboratory", "viewer", "bench", "tests") for p in source.glob("*.md" if d == "." else d + "/**/*.md"))
errors = []


def text_of(page):
    """Without what is in blocks of code."""
    return re.sub(r"^```.*?^```$", "", page.read_text(encoding="utf-8"), flags=re.S | re.M)


def anchors_of(page):
    """The names that a repository's page and mkdocs give to headings."""
    headings = re.findall(r"^#+ (.*)$", text_of(page), flags=re.M)
    return {re.sub(r" ", "-", re.sub(r"[^\w\- ]", "", re.sub(r"\[(.*?)\]\(.*?\)", r"\1", h).lower().strip())) for h in headings}


example = "src/engine/algorithm/doubling.hpp"  # the file that docs/guide.md has the reader write
links = 0
for page in pages:
    text = text_of(page)
    for target in re.findall(r"\]\(([^)\s]+)\)", text):
        if re.match(r"[a-z]+:", target):
            continue
        links += 1
        name, _, anchor = target.partition("#")
        file = (page.parent / name).resolve() if name else page
        if not file.exists():
            errors.append(f"{page.relative_to(source)}: {target} is not there")
        elif anchor and anchor not in anchors_of(file):
            errors.append(f"{page.relative_to(source)}: {target} has no such heading")
    for name in re.findall(r"`((?:tests|src|laboratory|viewer|bench|topology|include)/[\w/.]+)`", text):
        if name != example and not (source / name).exists():
            errors.append(f"{page.relative_to(source)}: {name} is not there")

if len((source / "README.md").read_text(encoding="utf-8").splitlines()) >= 120:
    errors.append("README.md is longer than a page: 120 lines")
performance = source / "docs/performance.md"
drawn = subprocess.run([sys.executable, source / "docs/figures/plot_measured.py", performance],
                       check=True, capture_output=True, text=True).stdout
if drawn != (source / "docs/figures/measured.svg").read_text(encoding="utf-8"):
    errors.append("docs/figures/measured.svg is not what plot_measured.py draws of docs/performance.md")
numbers = re.sub(r" \([\d.]+\)", "", performance.read_text(encoding="utf-8")).splitlines()
rows = re.findall(r"^\| \w+ \| \d+ \|.*$", (source / "README.md").read_text(encoding="utf-8"), flags=re.M)
errors += [f"README.md has numbers that docs/performance.md lacks: {row}" for row in rows if row not in numbers]
if not rows:
    errors.append("README.md has no table of numbers")

print("\n".join(errors) if errors else f"{links} links on {len(pages)} pages")
sys.exit(1 if errors or not links else 0)
