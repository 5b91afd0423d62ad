#!/bin/sh
# narrow_system.sh INCLUDE COMPILER: a program that is compiled for a 32-bit system is rejected, with one sentence. The header
# that all others include needs no other, so that no C library for such a system has to be there.
set -eu
errors=$(echo '#include <tutti/detail/standard.hpp>' | "$2" -m32 -std=c++20 -I"$1" -fsyntax-only -x c++ - 2>&1 | grep 'error: ') || true
echo "$errors"
echo "$errors" | head -n 1 | grep -q 'Tutti needs a 64-bit system'
