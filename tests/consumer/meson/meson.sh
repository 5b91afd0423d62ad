#!/bin/sh
# meson.sh MESON COMPILER PREFIX DIRECTORY: builds and runs the program of meson.build, which finds the library that is
# installed in PREFIX, in DIRECTORY.
set -eu
meson=$1 compiler=$2 prefix=$3 directory=$4
here=$(dirname "$0")
PKG_CONFIG_PATH=$(dirname "$(find "$prefix" -name tutti.pc)")
LD_LIBRARY_PATH=$(PKG_CONFIG_PATH=$PKG_CONFIG_PATH pkg-config --variable=libdir tutti)
export PKG_CONFIG_PATH LD_LIBRARY_PATH CXX="$compiler"
rm -rf "$directory"
mkdir -p "$directory/source"
cp "$here/meson.build" "$here/../small.cpp" "$directory/source"
"$meson" setup "$directory/build" "$directory/source"
"$meson" compile -C "$directory/build"
"$directory/build/consumer"
