#!/bin/sh
# older_standard.sh INCLUDE COMPILER: a program that is compiled as C++17 is told so in one sentence, whichever header of
# C++20 it includes first, and nothing else. What is for C, and the version, any program may include.
set -eu
include=$1 compiler=$2
headers=0
failed=0
for header in $(cd "$include" && find -L . -name '*.hpp' | sed 's|^\./||' | sort); do
    headers=$((headers + 1))
    errors=$(echo "#include <$header>" | "$compiler" -std=c++17 -I"$include" -fsyntax-only -x c++ - 2>&1 | grep 'error: ') || true
    case $header in
    tutti/version.hpp) expected=0 ;;
    *) expected=2 ;; # the sentence, and the end of the compilation
    esac
    if [ "$(echo "$errors" | grep -c .)" != $expected ] ||
        { [ $expected = 2 ] && ! echo "$errors" | head -n 1 | grep -q 'Tutti needs C++20: compile with -std=c++20'; }; then
        printf '%s, as C++17:\n%s\n' "$header" "$errors"
        failed=1
    fi
done
echo '#include <tutti/tutti.h>' | "$compiler" -std=c++11 -I"$include" -fsyntax-only -x c++ - || failed=1
echo "$headers headers"
[ "$headers" -gt 0 ] && exit $failed
