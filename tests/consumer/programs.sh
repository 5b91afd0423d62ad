#!/bin/sh
# programs.sh COMPILER PREFIX PAGE DIRECTORY [MPIRUN...]: compiles and runs the programs of PAGE, against the
# library installed in PREFIX. A program is a block of ```cpp or ```c that includes a header of Tutti, or of ```fortran. It says what it prints
# in a comment `// ... prints: TEXT`, or `! ...`. Those for clusters are left out where no MPIRUN is given, those in C or
# Fortran where CC or FC names no compiler.
set -eu
compiler=$1 prefix=$2 page=$3 directory=$4
shift 4
PKG_CONFIG_PATH=$(dirname "$(find "$prefix" -name tutti.pc)")
LD_LIBRARY_PATH=$(PKG_CONFIG_PATH=$PKG_CONFIG_PATH pkg-config --variable=libdir tutti)
export PKG_CONFIG_PATH LD_LIBRARY_PATH
rm -rf "$directory"
mkdir -p "$directory"
awk -v directory="$directory" '
    /^```/ && inside { if (program) { printf "%s", text >(directory "/line_" first "." language) } inside = 0; next }
    /^```(cpp|c|fortran)$/ { inside = 1; program = $0 ~ /fortran/; text = ""; first = NR + 1; language = program ? "f90" : substr($0, 4); next }
    inside { text = text $0 "\n" }
    inside && /^#include <tutti\// { program = 1 }
' "$page"
ran=0
for source in "$directory"/line_*; do
    program=$directory/$(basename "${source%.*}")_program
    expected=$(sed -n 's/.*\(\/\/\|!\) .*prints: //p' "$source")
    [ -n "$expected" ] || { echo "$source: does not say what it prints"; exit 1; }
    package=tutti flags='' run='' with="$compiler -std=c++20"
    case $source in
    *.c)
        [ "${CC:-}" ] || { echo "$source: left out, there is no C compiler"; continue; }
        package=tutti-c with="$CC -std=c11"
        ;;
    *.f90)
        [ "${FC:-}" ] || { echo "$source: left out, there is no Fortran compiler"; continue; }
        package=tutti-fortran with="$FC -std=f2018 -J$directory"
        ;;
    esac
    grep -q -e '<omp.h>' -e 'use omp_lib' "$source" && flags=-fopenmp
    if grep -q '<tutti/mpi.hpp>' "$source"; then
        [ $# -gt 0 ] || { echo "$source: left out, there is no MPI"; continue; }
        package=tutti-mpi run="$* -n 2"
    fi
    # The words of the flags and of the command are meant to be split.
    # shellcheck disable=SC2046,SC2086
    $with -O2 -Wall -Wextra -Werror $flags "$source" -o "$program" \
        $(pkg-config --cflags --libs --static $package)
    # shellcheck disable=SC2086
    printed=$($run "$program")
    [ "$printed" = "$expected" ] || { echo "$source: prints '$printed', not '$expected'"; exit 1; }
    echo "$source: $printed"
    ran=$((ran + 1))
done
echo "$ran programs"
[ "$ran" -gt 0 ]
