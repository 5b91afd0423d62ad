#!/bin/sh
# compiler_flags.sh COMPILER PREFIX DIRECTORY: programs without exceptions or RTTI, as docs/shipping.md describes them, against the
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

for rtti in rtti no-rtti; do
    compile -f$rtti -c "$sources/members.cpp" -o first_$rtti.o
    compile -f$rtti -DSECOND -c "$sources/members.cpp" -o second_$rtti.o
done
expect 1 with_rtti tutti first_rtti.o second_rtti.o
expect 1 without_rtti tutti first_no-rtti.o second_no-rtti.o
expect mismatch mixed tutti first_rtti.o second_no-rtti.o

if compile -fno-exceptions -c "$sources/members.cpp" -o none.o 2>errors; then
    echo "-fno-exceptions: the C++ headers compile"
    exit 1
fi
grep -q -i 'exception' errors || { cat errors; exit 1; }

compile -fno-exceptions -fno-rtti -c "$sources/c_interface.cpp" -o c_interface.o
expect 1 without_exceptions tutti-c c_interface.o
