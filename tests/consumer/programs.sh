#!/bin/sh
# programs.sh COMPILER PREFIX PAGE DIRECTORY [MPIRUN...]: compiles and runs the programs of PAGE, against the
# library installed in PREFIX. A program is a block of ```cpp or ```c that includes a header of Tutti or MPI, or of ```fortran, ```rust or
# ```python. A comment in it, `// ... prints: TEXT`, `! ...` or `# ...`, has the expected output. Programs with MPI are left out
# if no MPIRUN is given; those in C, Fortran, Fortran with MPI, Rust or Python if CC, FC, MPIFC, RUSTC or PYTHON is empty. The last two need shared libraries.
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
    /^```(cpp|c|fortran|rust|python)$/ {
        language = substr($0, 4)
        program = language !~ /^c/ # the others have no other blocks
        sub(/fortran/, "f90", language)
        inside = 1
        text = ""
        first = NR + 1
        next
    }
    inside { text = text $0 "\n" }
    inside && /^#include <(tutti\/|mpi\.h>)/ { program = 1 }
' "$page"
ran=0
for source in "$directory"/line_*; do
    program=$directory/$(basename "${source%.*}")_program
    expected=$(sed -n 's/.*\(\/\/\|!\|#\) .*prints: //p' "$source")
    [ -n "$expected" ] || { echo "$source: does not say what it prints"; exit 1; }
    package=tutti flags='' run='' with="$compiler -std=c++20 ${CXXFLAGS:-}"
    case $source in
    *.rust)
        [ "${RUSTC:-}" ] || { echo "$source: left out, there is no rustc"; continue; }
        "$RUSTC" --edition 2021 -D warnings -L "native=$LD_LIBRARY_PATH" "$source" -o "$program"
        with=''
        ;;
    *.python)
        [ "${PYTHON:-}" ] || { echo "$source: left out, there is no python3"; continue; }
        run="$PYTHON" program=$source with=''
        ;;
    *.c)
        [ "${CC:-}" ] || { echo "$source: left out, there is no C compiler"; continue; }
        package=tutti-c with="$CC -std=c11"
        ;;
    *.f90)
        fc=${FC:-}
        grep -q 'use tutti_mpi' "$source" && fc=${MPIFC:-}
        [ "$fc" ] || { echo "$source: left out, there is no Fortran compiler"; continue; }
        package=tutti-fortran with="$fc -std=f2018 -J$directory"
        ;;
    esac
    ! grep -q '<tutti/tasks.hpp>' "$source" || package=tutti-tasks
    ! grep -q '<tutti/numbers.hpp>' "$source" || package=tutti-numbers
    grep -q -e '#pragma omp' -e 'use omp_lib' "$source" && flags=-fopenmp
    if grep -q -e '<tutti/mpi.hpp>' -e '<tutti/tutti_mpi.h>' -e '<mpi.h>' -e 'use tutti_mpi' "$source"; then
        [ $# -gt 0 ] || { echo "$source: left out, there is no MPI"; continue; }
        case $package in tutti-c) package=tutti-cmpi ;; tutti-fortran) package=tutti-fmpi ;; *) package=tutti-mpi ;; esac
        run="$* -n 2"
    fi
    # The words of the flags and of the command are meant to be split.
    # shellcheck disable=SC2046,SC2086
    [ -z "$with" ] || $with -O2 -Wall -Wextra -Werror $flags "$source" -o "$program" \
        $(pkg-config --cflags --libs --static $package)
    # shellcheck disable=SC2086
    printed=$($run "$program")
    [ "$printed" = "$expected" ] || { echo "$source: prints '$printed', not '$expected'"; exit 1; }
    echo "$source: $printed"
    ran=$((ran + 1))
done
echo "$ran programs"
[ "$ran" -gt 0 ]
