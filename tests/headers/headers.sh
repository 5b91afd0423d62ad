#!/bin/sh
# headers.sh alone|together INCLUDE COMPILER FLAGS...: compiles every header below INCLUDE in a translation unit
# of its own, or all in one, as a parent project with its warnings would, and then the collectives. Every header names its licence.
set -eu
units=$1 include=$2
shift 2
here=$(dirname "$0")
compile() { # arguments
    "$@" -I"$include" -fsyntax-only -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wold-style-cast -Werror
}

headers=0
failed=0
all=
for header in $(cd "$include" && find -L . -name '*.h' -o -name '*.hpp' | sed 's|^\./||' | sort); do
    headers=$((headers + 1))
    all="$all $header"
    if [ "$(head -n 1 "$include/$header")" != '// SPDX-License-Identifier: Apache-2.0' ]; then
        echo "$header does not begin with its licence"
        failed=1
    fi
    # Twice: it guards itself.
    if [ "$units" = alone ] && ! printf '#include <%s>\n' "$header" "$header" | compile "$@" -x c++ -; then
        echo "$header does not compile alone"
        failed=1
    fi
done
echo "$headers headers"
[ "$headers" -gt 0 ]
if [ "$units" = together ]; then
    # shellcheck disable=SC2086 # a word for each
    printf '#include <%s>\n' $all $all | compile "$@" -x c++ -
fi

compile "$@" "$here/collectives.cpp" -DHEADER='<tutti/tutti.hpp>' -DMEMBER=tutti::Member
if [ -e "$include/tutti/mpi.hpp" ]; then
    compile "$@" "$here/collectives.cpp" -DHEADER='<tutti/mpi.hpp>' -DMEMBER=tutti::ClusterMember
fi
compile "$@" -x c++ "$here/macros.c"
exit $failed
