#!/usr/bin/env python3
"""include_budget.py SOURCE COMPILER FLAGS...: what each header of src makes the compiler read, beside what it may.

Every source that includes a header waits for that, so a header that grows over the budget either does without an include (a
declaration is often enough), or has a reason to raise the budget. Each header of another library is given to the compiler once.
"""

import functools
import pathlib
import re
import subprocess
import sys

VERSION = subprocess.run([sys.argv[2], "-dumpversion"], capture_output=True, text=True, check=True).stdout
MOST_LINES = 190_000 if int(VERSION.split(".")[0]) >= 14 else 180_000  # the headers of GCC 14 are longer

source = pathlib.Path(sys.argv[1])
command = sys.argv[2:] + ["-std=c++20", "-M", "-x", "c++", "-"]
roots = [source / "include", source / "src", source / "topology"]
INCLUDE = re.compile(r'^\s*#\s*include\s*[<"]([^>"]+)[>"]', re.MULTILINE)


@functools.cache
def lines_of(path):
    return path.read_bytes().count(b"\n")


@functools.cache
def files_of(name):
    """The files behind a header of another library; none where the compiler does not find it, as that of MPI."""
    run = subprocess.run(command, input=f"#include <{name}>\n", capture_output=True, text=True)
    words = run.stdout.replace("\\\n", " ").split()[1:] if run.returncode == 0 else []
    return {pathlib.Path(word) for word in words if word.startswith("/")}


def add_files(path, files):
    """Adds a header and all files that it makes the compiler read."""
    if path not in files:
        files.add(path)
        for name in INCLUDE.findall(path.read_text()):
            own = next((root / name for root in roots if (root / name).is_file()), None)
            if own:
                add_files(own, files)
            else:
                files.update(files_of(name))
    return files


rows = sorted(((sum(map(lines_of, add_files(header, set()))), str(header.relative_to(source)))
               for header in (source / "src").rglob("*.hpp")), reverse=True)
print(f"{len(rows)} headers; those that read most, in lines of which {MOST_LINES} are allowed:")
for lines, header in rows[:10]:
    print(f"{lines:8} {header}")
sys.exit(1 if len(rows) < 50 or not MOST_LINES // 2 <= rows[0][0] <= MOST_LINES else 0)
