#!/bin/sh
# pkg_config.sh COMPILER PREFIX SOURCE PROGRAM [--static] [PACKAGE...]: compiles and runs a program against
# the library installed in PREFIX. CXXFLAGS may have further options, such as -stdlib=libc++.
set -eu
compiler=$1 prefix=$2 source=$3 program=$4
shift 4
[ "${2:-}" ] || set -- "$@" tutti
PKG_CONFIG_PATH=$(dirname "$(find "$prefix" -name tutti.pc)")
export PKG_CONFIG_PATH
case $source in *.c) standard=c11 ;; *.f90) standard=f2018 ;; *) standard=c++20 ;; esac
for file in "$PKG_CONFIG_PATH"/tutti*.pc; do
    pkg-config --validate --print-errors "$(basename "$file" .pc)"
done
# The words of the flags are meant to be split.
# shellcheck disable=SC2046,SC2086
"$compiler" -std=$standard ${CXXFLAGS:-} "$source" -o "$program" $(pkg-config "$@" --cflags --libs)
LD_LIBRARY_PATH=$(pkg-config --variable=libdir tutti) "$program"
