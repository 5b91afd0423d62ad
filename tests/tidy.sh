#!/bin/bash
# clang-tidy over the sources whose paths begin with an extended regular expression, by default all that it is meant for:
#
#   tests/tidy.sh [PATTERN]
#
# In a tree that is configured for it and not built. Without the two slowest checks, which take half of the time; the sanitizers
# look for what the analyzer does. And without sources that include a header of the Fortran compiler, which clang does not find.
set -u
cd "$(dirname "$0")/.." || exit 1
all='src/|topology/|laboratory/(cost|verify|draw)/|components/(?!fortran/)[a-z]*/src/'
cmake --preset release -B build/tidy -DTUTTI_BUILD_TESTS=OFF >/dev/null &&
    run-clang-tidy -quiet -p build/tidy -j "$(nproc)" -extra-arg=-Wno-unknown-warning-option \
        -checks='-clang-analyzer-*,-bugprone-reserved-identifier,-bugprone-suspicious-include' \
        "^$PWD/(build/tidy/)?(?=${1:-})($all)"
