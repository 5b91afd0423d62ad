#!/bin/sh
# headers.sh alone|together INCLUDE but:[HEADER,...] COMPILER FLAGS...: compiles every header below INCLUDE in a translation unit
# of its own, or all in one, as a parent project with its warnings would, and then the collectives. Left out are the headers
# after `but:`, those of components that have not been built.
set -eu
units=$1 include=$2 absent=,${3#but:},
shift 3
here=$(dirname "$0")
compile() { # arguments
    "$@" -I"$include" -fsyntax-only -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wold-style-cast -Werror
}

headers=0
failed=0
all=
for header in $(cd "$include" && find . -name '*.h' -o -name '*.hpp' | sed 's|^\./||' | sort); do
    case $absent in *",$header,"*) continue ;; esac
    headers=$((headers + 1))
    all="$all $header"
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
case $absent in *",tutti/mpi.hpp,"*) ;; *)
    compile "$@" "$here/collectives.cpp" -DHEADER='<tutti/mpi.hpp>' -DMEMBER=tutti::mpi::Member
    ;;
esac
compile "$@" -x c++ "$here/macros.c"
exit $failed
