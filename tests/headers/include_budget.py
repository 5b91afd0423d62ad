#!/usr/bin/env python3
"""include_budget.py SOURCE COMPILER FLAGS...: what each header of src makes the compiler read, beside what it may.

Every source that includes a header waits for that, so a header that grows over the budget either does without an include (a
declaration is often enough), or has a reason to raise the budget. Each header of another library is given to the compiler once.
"""

import pathlib
import re
import subprocess
import sys

MOST_LINES = 180_000
MOST_OWN_LINES = 12_000

source = pathlib.Path(sys.argv[1])
command = sys.argv[2:] + ["-std=c++20", "-M", "-x", "c++", "-"]
roots = [source / "include", source / "src", source / "topology"]
INCLUDE = re.compile(r'^\s*#\s*include\s*[<"]([^>"]+)[>"]', re.MULTILINE)


def lines_of(path):
    with open(path, "rb") as file:
        return file.read().count(b"\n")


def direct(path, known={}):
    """The headers of the tree and of other libraries that a file includes."""
    if path not in known:
        names = INCLUDE.findall(path.read_text())
        found = {name: next((root / name for root in roots if (root / name).is_file()), None) for name in names}
        known[path] = ({own for own in found.values() if own}, {name for name in found if not found[name]})
    return known[path]


def closure(path):
    seen, waiting, others = set(), [path], set()
    while waiting:
        header = waiting.pop()
        if header not in seen:
            seen.add(header)
            own, foreign = direct(header)
            waiting += own
            others |= foreign
    return seen, others


def files_of(name, known={}):
    """The files behind a header of another library; none where the compiler does not find it, as that of MPI."""
    if name not in known:
        run = subprocess.run(command, input=f"#include <{name}>\n", capture_output=True, text=True)
        words = run.stdout.replace("\\\n", " ").split()[1:] if run.returncode == 0 else []
        known[name] = {word for word in words if word.startswith("/")}
    return known[name]


headers = sorted((source / "src").rglob("*.hpp"))
rows = []
for header in headers:
    own, others = closure(header)
    own_lines = sum(map(lines_of, own))
    all_lines = own_lines + sum(map(lines_of, set().union(*map(files_of, others)) if others else set()))
    rows.append((all_lines, own_lines, str(header.relative_to(source))))

rows.sort(reverse=True)
print(f"{len(rows)} headers; those that read most, in lines, and in lines of this tree:")
for all_lines, own_lines, header in rows[:10]:
    print(f"{all_lines:8} {own_lines:6} {header}")
over = [row for row in rows if row[0] > MOST_LINES or row[1] > MOST_OWN_LINES]
for all_lines, own_lines, header in over:
    print(f"{header}: {all_lines} lines, of which {own_lines} of this tree; at most {MOST_LINES} and {MOST_OWN_LINES} are allowed")
sys.exit(1 if over or len(rows) < 50 or rows[0][0] < MOST_LINES // 2 else 0)
