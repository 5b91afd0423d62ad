#!/bin/sh
# compiler_flags.sh COMPILER PREFIX DIRECTORY: programs without exceptions or RTTI, which docs/shipping.md describes, against the
# library installed in PREFIX.
set -eu
compiler=$1 prefix=$2 directory=$3
sources=$(dirname "$(realpath "$0")")/compiler_flags
PKG_CONFIG_PATH=$(dirname "$(find "$prefix" -name tutti.pc)")
LD_LIBRARY_PATH=$(PKG_CONFIG_PATH=$PKG_CONFIG_PATH pkg-config --variable=libdir tutti)
export PKG_CONFIG_PATH LD_LIBRARY_PATH
rm -rf "$directory"
mkdir -p "$directory"
cd "$directory"

compile() { # FLAGS...
    # shellcheck disable=SC2046
    "$compiler" -std=c++20 -O1 -Wall -Wextra -Werror "$@" $(pkg-config --cflags tutti)
}
expect() { # TEXT PROGRAM PACKAGE OBJECTS...
    text=$1 program=$2 package=$3
    shift 3
    # shellcheck disable=SC2046
    "$compiler" "$@" -o "$program" $(pkg-config --libs --static "$package")
    printed=$(./"$program")
    [ "$printed" = "$text" ] || { echo "$program: prints '$printed', not '$text'"; exit 1; }
    echo "$program: $printed"
}

printf '#include <tutti/%s>\n' tutti.hpp >headers.cpp
for rejected in exceptions:exceptions rtti:RTTI; do
    if compile -fno-${rejected%:*} -c headers.cpp -o headers.o 2>errors; then
        echo "-fno-${rejected%:*}: the C++ headers compile"
        exit 1
    fi
    # One message, with what to do, and nothing after it.
    grep -q "need ${rejected#*:}: compile without -fno-${rejected%:*}, or include tutti/tutti.h" errors || { cat errors; exit 1; }
    [ "$(grep -c 'error:' errors)" -le 2 ] || { cat errors; exit 1; }
done

compile -fno-exceptions -fno-rtti -c "$sources/c_interface.cpp" -o c_interface.o
expect 1 without_exceptions tutti-c c_interface.o
