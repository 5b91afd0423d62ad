#!/bin/bash
# thread_sanitizer.sh COMPILER DIRECTORY PREFIX...: compiles programs with the thread sanitizer, links them with the
# libraries installed in each PREFIX, which are compiled without, and runs them. It is to report nothing of the program
# that is correct, and each of the races.
#
# Exit code 77: the compiler has no such sanitizer, or it does not run here.
set -eu
here=$(realpath "$(dirname "$0")") compiler=$1 directory=$2
shift 2
rm -rf "$directory"
mkdir -p "$directory"
cd "$directory"
flags=(-std=c++20 -O1 -g -Wall -Wextra -Werror -fsanitize=thread)

# Some versions cannot live with addresses that are chosen at random.
run=()
echo 'int main() {}' >none.cpp
if ! "$compiler" "${flags[@]}" none.cpp -o none; then
    echo "left out: $compiler has no thread sanitizer"
    exit 77
elif ! ./none; then
    run=(setarch -R)
    if ! "${run[@]}" ./none; then
        echo "left out: the thread sanitizer does not run here"
        exit 77
    fi
fi

export TSAN_OPTIONS=halt_on_error=1
failed=0
wrong() { # what log
    echo "$1"
    cat "$2"
    failed=1
}

for prefix in "$@"; do
    PKG_CONFIG_PATH=$(dirname "$(find "$prefix" -name tutti.pc)")
    export PKG_CONFIG_PATH
    LD_LIBRARY_PATH=$(pkg-config --variable=libdir tutti)
    export LD_LIBRARY_PATH
    read -ra cflags < <(pkg-config --cflags tutti-tasks)
    read -ra libs < <(pkg-config --libs --static tutti-tasks)
    for program in correct races; do
        [ -e $program.o ] || "$compiler" "${flags[@]}" "${cflags[@]}" -c "$here/$program.cpp" -o $program.o
        "$compiler" "${flags[@]}" $program.o "${libs[@]}" -o $program
    done
    if ! "${run[@]}" ./correct >log 2>&1 || grep -q 'WARNING: ThreadSanitizer' log; then
        wrong "$prefix: the correct program" log
    fi
    number=0
    while [ $number -lt "$(./races)" ]; do
        if "${run[@]}" ./races $number >log 2>&1 || ! grep -q 'WARNING: ThreadSanitizer: data race' log; then
            wrong "$prefix: race $number is not reported" log
        fi
        number=$((number + 1))
    done
    echo "$prefix: nothing reported where there is nothing, and $number races"
done
exit $failed
