#!/bin/bash
# Builds and runs tests of one preset, from a fresh clone on a fresh Debian machine as root:
#
#   tests/run.sh [release|dev|asan-ubsan|tsan|clang|libcxx] [PART] [REGEX]
#
# PART is `short`, which each change must pass, or a part of the long form (docs/testing.md). REGEX selects CTest tests. The last line is
# `N passed, N failed`: doctest's cases, and one for each CTest test that is not doctest's.
set -u
cd "$(dirname "$0")/.." || exit 1
preset=${1:-release}
part=${2:-}

finish() { # passed failed
    echo "$1 passed, $2 failed"
    [ "$2" -eq 0 ]
    exit
}

# Sums the cases in CTest's report. A test without doctest's summary, or that failed in spite of it, counts as one. A test that was
# skipped does not count.
sum() { # the report, as JUnit has it
    awk '
        /^[ \t]*<testcase name=/ {
            ran = /status="(run|fail)"/
            bad = /status="fail"/
            summary = cases_passed = cases_failed = 0
        }
        /^[ \t]*<skipped message=/ && !/"SKIP_/ { ran = bad = 1 }
        /\[doctest\] test cases:/ {
            summary = 1
            split($0, part, "|")
            cases_passed = part[2] + 0
            cases_failed = part[3] + 0
        }
        /^[ \t]*<\/testcase>/ && ran {
            if (summary) { passed += cases_passed; failed += cases_failed }
            else if (!bad) ++passed
            if (bad && !cases_failed) ++failed
        }
        END { print passed + 0, failed + 0 }
    ' "$1"
}

. cmake/step.sh
groups="build test"
[ "$preset" != clang ] || groups="$groups clang"
[ "$preset" != libcxx ] || groups="$groups libcxx"
[ "$part" != site ] || groups="$groups docs"
[ "$part" != compilers ] || groups="$groups clang libcxx"
build=build/$preset
step "installing what is missing" "$build/setup.log" cmake/setup.sh $groups || finish 0 1
step "configuring $build" "$build/configure.log" cmake --preset "$preset" ${part:+-DTUTTI_TESTS=$part} || finish 0 1
step "building the library, the command and the tests" "$build/build.log" \
    cmake --build --preset "$preset" -j "$(nproc)" || finish 0 1
# The report is this run's own: any other ctest of the directory, as ctest -N, empties CTest's LastTest.log.
report=$(pwd)/$build/tests.xml
rm -f "$report"
ctest --preset "$preset" ${3:+-R "$3"} --output-junit "$report" --test-output-size-passed 100000000 --test-output-size-failed 100000000
result=$?
read -r passed failed < <([ ! -f "$report" ] || sum "$report")
if [ "$((${passed:-0} + ${failed:-0}))" -eq 0 ]; then
    echo "$0: the tests ended with $result, but their report has none" >&2
    result=1
fi
if [ "$result" -ne 0 ] && [ "${failed:-0}" -eq 0 ]; then
    failed=1
fi
finish "${passed:-0}" "${failed:-0}"
