#!/bin/bash
# platforms.sh [--write]: compares the table of platforms in docs/shipping.md with docs/platforms.tsv, so that the page has no combination
# that was not run. With --write, the results of tests/distribution.sh replace lines of the data, and the table is written from it.
#
# Columns: date, suite, compiler, C++ library, Open MPI, MPICH, hwloc, oneTBB, CMake, passed, failed, commit.
set -eu
cd "$(dirname "$0")/../.."
data=docs/platforms.tsv page=docs/shipping.md results=build/distribution/results

# The last line of each suite, major version of the compiler and C++ library.
newest() {
    awk -F '\t' '{ key = $2 " " $3 " " $4; sub(/[.][^ ]*/, "", key); if (substr(last[key], 1, 10) <= $1) last[key] = $0 } END { for (key in last) print last[key] }' "$@" |
        sort -t "$(printf '\t')" -k 2,4
}

table() {
    echo '| Debian | compiler, C++ library | Open MPI | MPICH | passed, failed | commit |'
    echo '|---|---|---|---|---|---|'
    awk -F '\t' '{ print "| " $2 " | " $3 ", " $4 " | " $5 " | " $6 " | " $10 ", " $11 " | " $12 " |" }' $data
}

if [ "${1:-}" = --write ] && [ -s $results ]; then
    merged=$(newest $data $results)
    echo "$merged" >$data
fi
written=$(TABLE=$(table) awk '
    /^<!-- end of the table of platforms -->/ { inside = 0; print "" }
    !inside { print }
    /^<!-- the table of platforms/ { inside = 1; print "\n" ENVIRON["TABLE"] }' $page)
if [ "${1:-}" = --write ]; then
    echo "$written" >$page
elif ! echo "$written" | diff $page -; then
    echo "The lines with > are those of $data: run tests/site/platforms.sh --write"
    exit 1
fi
