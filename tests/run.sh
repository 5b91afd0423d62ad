#!/bin/bash
# Builds and runs tests of one preset, from a fresh clone on a fresh Debian machine as root:
#
#   tests/run.sh [release|dev|asan-ubsan|tsan|clang|libcxx] [PART]
#
# PART is `short`, which each change must pass, or a part of the long form (docs/testing.md). The last line is
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

# Sums the cases in CTest's log. A test without doctest's summary, or that failed in spite of it, counts as one.
sum() { # CTest's list of failed tests, CTest's log
    awk '
        function close_test() {
            if (name == "") return
            if (summary) { passed += cases_passed; failed += cases_failed }
            if (!summary && !(name in bad)) ++passed
            if (name in bad && !cases_failed) ++failed
        }
        FILENAME == ARGV[1] { sub(/^[0-9]+:/, ""); bad[$0]; next }
        /^[0-9]+\/[0-9]+ Testing: / {
            close_test()
            name = $0
            sub(/^.* Testing: /, "", name)
            summary = cases_passed = cases_failed = 0
        }
        /^\[doctest\] test cases:/ {
            summary = 1
            split($0, part, "|")
            cases_passed = part[2] + 0
            cases_failed = part[3] + 0
        }
        END { close_test(); print passed + 0, failed + 0 }
    ' "$1" "$2"
}

. cmake/step.sh
groups="build test"
[ "$preset" != clang ] || groups="$groups clang"
[ "$preset" != libcxx ] || groups="$groups libcxx"
[ "$part" != site ] || groups="$groups docs"
[ "$part" != compilers ] || groups="$groups clang libcxx"
build=build/$preset
step "installing what is missing" "$build/setup.log" cmake/setup.sh $groups || finish 0 1
if command -v ccache >/dev/null && [ -z "${CMAKE_CXX_COMPILER_LAUNCHER:-}" ]; then
    export CMAKE_CXX_COMPILER_LAUNCHER=ccache
    export CCACHE_SLOPPINESS=pch_defines,time_macros # for precompiled headers
fi
step "configuring $build" "$build/configure.log" cmake --preset "$preset" ${part:+-DTUTTI_TESTS=$part} || finish 0 1
step "building the library, the command and the tests" "$build/build.log" \
    cmake --build --preset "$preset" -j "$(nproc)" || finish 0 1
logs=$build/Testing/Temporary
mkdir -p "$logs"
: >"$logs/LastTestsFailed.log"
: >"$logs/LastTest.log"
ctest --preset "$preset"
result=$?
touch "$logs/LastTestsFailed.log"
read -r passed failed < <(sum "$logs/LastTestsFailed.log" "$logs/LastTest.log")
if [ "$result" -ne 0 ] && [ "$failed" -eq 0 ]; then
    failed=1
fi
finish "$passed" "$failed"
