#!/bin/bash
# clang-tidy over the sources whose paths begin with an extended regular expression, by default all that it is meant for:
#
#   tests/tidy.sh [PATTERN]
#
# In a tree that is configured for it and not built. It leaves out:
#   the two slowest checks, which take half of the time, because the sanitizers look for what the analyzer does;
#   kernels of wide instruction sets, because they have the source of the generic ones;
#   sources that include a header of the Fortran compiler, because clang does not find it.
set -u
cd "$(dirname "$0")/.." || exit 1
all='src/(?!engine/kernel/isa_avx)|topology/|laboratory/(cost|verify|draw)/|components/(?!fortran/)[a-z]*/src/'
cmake --preset release -B build/tidy -DTUTTI_BUILD_TESTS=OFF >/dev/null &&
    run-clang-tidy -quiet -p build/tidy -j "$(nproc)" -extra-arg=-Wno-unknown-warning-option \
        -checks='-clang-analyzer-*,-bugprone-reserved-identifier,-bugprone-suspicious-include' \
        "^$PWD/(build/tidy/)?(?=${1:-})($all)"
