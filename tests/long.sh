#!/bin/bash
# The long form of the tests: all parts that .ci/run leaves out, or those that are named. From a fresh clone on a fresh Debian machine as
# root:
#
#   tests/long.sh [PART...]
#
# The table of docs/testing.md lists the parts. A part that ends writes its commit, date, duration and result there. The last line is
# the sum, `N passed, N failed`.
set -u
cd "$(dirname "$0")/.." || exit 1
page=docs/testing.md
logs=build/long
passed=0
failed=0
mkdir -p "$logs"

run_tidy() {
    if cmake/setup.sh build lint && tests/tidy.sh; then
        echo "1 passed, 0 failed"
    else
        echo "0 passed, 1 failed"
    fi
}

run_processors() {
    local processor right=0 wrong=0
    for processor in arm64 riscv64 s390x; do
        tests/foreign.sh $processor | tee "$logs/$processor.log"
        if [[ $(tail -n 1 "$logs/$processor.log") =~ ^([0-9]+)\ passed,\ ([0-9]+)\ failed$ ]]; then
            right=$((right + BASH_REMATCH[1]))
            wrong=$((wrong + BASH_REMATCH[2]))
        else
            wrong=$((wrong + 1))
        fi
    done
    echo "$right passed, $wrong failed"
}

run() { # PART
    case $1 in
    proofs | full | tools | mpi | consumers | site | compilers) tests/run.sh release "$1" ;;
    asan) tests/run.sh asan-ubsan full ;;
    tsan) tests/run.sh tsan full ;;
    clang | libcxx) tests/run.sh "$1" ;;
    tidy) run_tidy ;;
    distribution) tests/distribution.sh trixie ;;
    processors) run_processors ;;
    *)
        echo "tests/long.sh: there is no part \"$1\"; $page lists them"
        echo "0 passed, 1 failed"
        ;;
    esac
}

# Replaces all cells of the part's row but the first two.
write_row() { # PART DURATION RESULT
    local commit
    commit=$(git rev-parse --short=8 HEAD)
    git diff --quiet HEAD -- ':!docs/testing.md' || commit+=' and changes'
    awk -F ' *[|] *' -v part="$1" -v cells="$commit | $(date -u +%F) | $2 s | $3 |" \
        '$2 == part { print "| " $2 " | " $3 " | " cells; next } { print }' "$page" >"$logs/page" && cp "$logs/page" "$page"
}

[ $# -gt 0 ] || set -- $(awk -F ' *[|] *' '/^[|] [a-z]+ [|]/ && $2 != "part" { print $2 }' "$page")
for part in "$@"; do
    echo "== $part"
    begun=$SECONDS
    run "$part" 2>&1 | tee "$logs/$part.log"
    result=$(tail -n 1 "$logs/$part.log")
    if [[ $result =~ ^([0-9]+)\ passed,\ ([0-9]+)\ failed$ ]]; then
        passed=$((passed + BASH_REMATCH[1]))
        failed=$((failed + BASH_REMATCH[2]))
    else
        result='did not end'
        failed=$((failed + 1))
    fi
    write_row "$part" $((SECONDS - begun)) "$result"
done
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
