#!/bin/sh
# readme.sh COMPILER PREFIX README DIRECTORY [MPIRUN...]: compiles and runs the programs of README, against the
# library installed in PREFIX. A program is a block of ```cpp or ```c that includes a header of Tutti. It says what it prints
# in a comment `// ... prints: TEXT`. Those for clusters are left out where no MPIRUN is given, those in C where CC names
# no compiler.
set -eu
compiler=$1 prefix=$2 readme=$3 directory=$4
shift 4
PKG_CONFIG_PATH=$(dirname "$(find "$prefix" -name tutti.pc)")
LD_LIBRARY_PATH=$(PKG_CONFIG_PATH=$PKG_CONFIG_PATH pkg-config --variable=libdir tutti)
export PKG_CONFIG_PATH LD_LIBRARY_PATH
rm -rf "$directory"
mkdir -p "$directory"
awk -v directory="$directory" '
    /^```/ && inside { if (program) { printf "%s", text >(directory "/line_" first "." language) } inside = 0; next }
    /^```(cpp|c)$/ { inside = 1; program = 0; text = ""; first = NR + 1; language = substr($0, 4); next }
    inside { text = text $0 "\n" }
    inside && /^#include <tutti\// { program = 1 }
' "$readme"
ran=0
for source in "$directory"/line_*.c*; do
    program=${source%.c*}
    expected=$(sed -n 's|.*// .*prints: ||p' "$source")
    [ -n "$expected" ] || { echo "$source: does not say what it prints"; exit 1; }
    package=tutti flags='' run='' with="$compiler -std=c++20"
    case $source in *.c)
        [ "${CC:-}" ] || { echo "$source: left out, there is no C compiler"; continue; }
        package=tutti-c with="$CC -std=c11"
        ;;
    esac
    grep -q '<omp.h>' "$source" && flags=-fopenmp
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
