#!/bin/sh
# compiler_flags.sh COMPILER PREFIX DIRECTORY: programs without exceptions or RTTI, which docs/shipping.md describes, against the
# library installed in PREFIX.
set -eu
compiler=$1 prefix=$2 directory=$3
source=$(dirname "$(realpath "$0")")/c_main.c
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

printf '#include <tutti/%s>\n' tutti.hpp >headers.cpp
for rejected in exceptions:exceptions rtti:RTTI; do
    if compile -fno-${rejected%:*} -c headers.cpp -o headers.o 2>errors; then
        echo "-fno-${rejected%:*}: the C++ headers compile"
        exit 1
    fi
    # One message, with what to do, and nothing after it.
    grep -q "need ${rejected#*:}: compile without -fno-${rejected%:*}, or use the interface for C" errors || { cat errors; exit 1; }
    [ "$(grep -c 'error:' errors)" -le 2 ] || { cat errors; exit 1; }
done

compile -fno-exceptions -fno-rtti -x c++ -c "$source" -o c_interface.o
# shellcheck disable=SC2046
"$compiler" c_interface.o -o without_exceptions $(pkg-config --libs --static tutti-c)
./without_exceptions
