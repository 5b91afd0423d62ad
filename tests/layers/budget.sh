#!/bin/bash
# budget.sh [--write]: compares the lines of each directory of cmake/budget.txt with its budget, or writes the budget. Pages, pictures,
# measurements and lists of symbols are not counted.
set -eu
cd "$(dirname "$0")/../.."
budget=cmake/budget.txt

# The tests of a tool have a row of their own.
lines_of() { # directory
    find "$1" -type f ! -path "$1/tests/*" ! -name '*.md' ! -name '*.json' ! -name '*.svg' ! -name '*.csv' ! -name '*.pyc' \
        \( ! -name '*.txt' -o -name CMakeLists.txt \) -exec cat {} + | wc -l
}

# Each directory with sources has a row, and each row a directory.
rows() {
    for directory in include src/* topology/* components/*/include components/*/src components/*/tests {bench,laboratory,viewer}{,/tests} tests/*; do
        [ ! -d "$directory" ] || echo "$directory"
    done
}

written=$(
    grep '^#' $budget
    for directory in $(rows); do
        count=$(lines_of "$directory")
        printf '%-36s%6d\n' "$directory" $(((count + 49) / 50 * 50))
    done
)
if [ "${1:-}" = --write ]; then
    echo "$written" >$budget
elif ! echo "$written" | diff $budget -; then
    echo "The rows with > are right. A commit that raises one states what users get for it, and lowers another by as much."
    exit 1
fi
awk '
    /^#/ { next }
    /^(include|src)/ { core += $2; next }
    /tests/ { tests += $2; next }
    /^components/ { components += $2; next }
    /^topology/ { topology += $2; next }
    { tools += $2 }
    END { print "core " core ", components " components ", topology " topology ", tools " tools ", tests " tests }
' $budget
