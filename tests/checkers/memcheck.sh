#!/bin/sh
# memcheck.sh VALGRIND COMPILER DIRECTORY PREFIX: runs the program that is correct under valgrind's memcheck, which is to
# report nothing, with the library installed in PREFIX.
set -eu
here=$(dirname "$0") valgrind=$1 compiler=$2 directory=$3 prefix=$4
mkdir -p "$directory"
PKG_CONFIG_PATH=$(dirname "$(find "$prefix" -name tutti.pc)")
export PKG_CONFIG_PATH
# The words of the flags are meant to be split.
# shellcheck disable=SC2046
"$compiler" -std=c++20 -O1 -g "$here/correct.cpp" -o "$directory/correct" $(pkg-config --cflags --libs --static tutti-tasks)
"$valgrind" --error-exitcode=1 --leak-check=full "$directory/correct"
