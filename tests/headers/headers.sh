#!/bin/sh
# headers.sh INCLUDE but:[HEADER,...] COMPILER FLAGS...: compiles every header below INCLUDE in a translation unit of its
# own, as a parent project with its warnings would, and then the collectives. Left out are the headers after `but:`,
# those of components that have not been built.
set -eu
include=$1 absent=,${2#but:},
shift 2
here=$(dirname "$0")
compile() { # arguments
    "$@" -I"$include" -fsyntax-only -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wold-style-cast -Werror
}

headers=0
failed=0
for header in $(cd "$include" && find . -name '*.h' -o -name '*.hpp' | sed 's|^\./||' | sort); do
    case $absent in *",$header,"*) continue ;; esac
    headers=$((headers + 1))
    # Twice: it guards itself.
    if ! printf '#include <%s>\n#include <%s>\n' "$header" "$header" | compile "$@" -x c++ -; then
        echo "$header does not compile alone"
        failed=1
    fi
done
echo "$headers headers"
[ "$headers" -gt 0 ]

compile "$@" "$here/collectives.cpp" -DHEADER='<tutti/tutti.hpp>' -DMEMBER=tutti::Member
case $absent in *",tutti/mpi.hpp,"*) ;; *)
    compile "$@" "$here/collectives.cpp" -DHEADER='<tutti/mpi.hpp>' -DMEMBER=tutti::mpi::Member
    ;;
esac
compile "$@" -x c++ "$here/macros.c"
exit $failed
