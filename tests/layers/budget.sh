#!/bin/bash
# budget.sh [--write]: compares the lines of each directory of cmake/budget.txt with its budget, or writes the budget. Pages, pictures,
# measurements and lists of symbols are not counted.
set -eu
cd "$(dirname "$0")/../.."
budget=cmake/budget.txt

# The tests of a tool have a row of their own, and so have the files that lie beside directories with rows.
lines_of() { # directory
    local depth=()
    case $1 in
    src | topology | tests) depth=(-maxdepth 1) ;;
    components) depth=(-maxdepth 2) ;;
    esac
    find "$1" "${depth[@]}" -type f ! -path "$1/tests/*" ! -name '*.md' ! -name '*.json' ! -name '*.svg' ! -name '*.csv' ! -name '*.pyc' \
        \( ! -name '*.txt' -o -name CMakeLists.txt \) -exec cat {} + | wc -l
}

# Each directory with sources has a row, and each row a directory.
rows() {
    for directory in include src{,/{engine,library}/*} topology{,/*} components{,/*/include,/*/src,/*/tests} {bench,laboratory,viewer}{,/tests} tests{,/*}; do
        [ ! -d "$directory" ] || echo "$directory $(lines_of "$directory")"
    done
}

counted=$(rows)
written=$(
    grep '^#' $budget
    echo "$counted" | awk '{ printf "%-36s%6d\n", $1, int(($2 + 49) / 50) * 50 }'
)
if [ "${1:-}" = --write ]; then
    echo "$written" >$budget
elif ! echo "$written" | diff $budget -; then
    echo "The rows with > are right. A commit that raises one states what users get for it, and lowers another by as much."
    exit 1
fi
echo "$counted" | awk '
    /^(include|src)/ { core += $2; next }
    /tests/ { tests += $2; next }
    /^components/ { components += $2; next }
    /^topology/ { topology += $2; next }
    { tools += $2 }
    END { print "core " core ", components " components ", topology " topology ", tools " tools ", tests " tests }
'
