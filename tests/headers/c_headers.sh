#!/bin/sh
# c_headers.sh INCLUDE COMPILER FLAGS...: compiles every header for C below INCLUDE in a translation unit of its
# own, as a parent project with its warnings would, and what their macros make.
set -eu
include=$1
shift
here=$(dirname "$0")
compile() { # arguments
    "$@" -I"$include" -fsyntax-only -Wall -Wextra -Wpedantic -Wconversion -Wsign-conversion -Wshadow -Wstrict-prototypes \
        -Wold-style-definition -Wmissing-prototypes -Werror
}

headers=0
for header in $(cd "$include" && find -L . -name '*.h' | sed 's|^\./||' | sort); do
    headers=$((headers + 1))
    # Twice: it guards itself.
    printf '#include <%s>\n#include <%s>\ntypedef int not_empty;\n' "$header" "$header" | compile "$@" -x c -
done
echo "$headers headers"
[ "$headers" -gt 0 ]
compile "$@" "$here/macros.c"
