#!/bin/bash
# Builds the library and the kernel, c, tasks and api tests for another processor, with Debian's cross compiler, and runs them
# under qemu-user; from a fresh clone on a fresh Debian 12 machine as root:
#
#   tests/foreign.sh arm64|riscv64|s390x
#
# It installs packages for this machine's own processor: compilers and qemu.
# It builds hwloc from Debian's source package, so that dpkg needs no other architecture. All other files lie below
# build/foreign. The last line is `N passed, N failed`: doctest's cases, and one for each program in C that is compiled.
set -u
cd "$(dirname "$0")/.." || exit 1
case "${1:-}" in
arm64) processor=aarch64 ;;
riscv64 | s390x) processor=$1 ;;
*)
    echo "usage: tests/foreign.sh arm64|riscv64|s390x" >&2
    exit 2
    ;;
esac
passed=0
failed=0
finish() {
    echo "$passed passed, $failed failed"
    [ "$failed" -eq 0 ]
    exit
}
. cmake/step.sh
root=$PWD/build/foreign
build=$root/$1
sysroot=$build/sysroot
source=$root/hwloc

# In a subshell, because it changes the directory. apt gets files of its own, so that the machine's lists stay as they are.
get_hwloc_source() (
    [ -x "$source/configure" ] && return
    local apt=$root/apt
    mkdir -p "$apt/lists/partial" "$apt/cache/archives/partial" "$apt/sources.list.d" "$source" && : >"$apt/status" || return
    sed -n 's/^deb /deb-src /p' /etc/apt/sources.list >"$apt/sources.list" 2>/dev/null
    local file
    for file in /etc/apt/sources.list.d/debian*.sources; do
        [ -e "$file" ] && sed 's/^Types:.*/Types: deb-src/' "$file" >"$apt/sources.list.d/${file##*/}"
    done
    cat >"$apt/conf" <<END
Dir::Etc::SourceList "$apt/sources.list";
Dir::Etc::SourceParts "$apt/sources.list.d";
Dir::State::Lists "$apt/lists";
Dir::State::Status "$apt/status";
Dir::Cache "$apt/cache";
APT::Sandbox::User "root";
END
    APT_CONFIG=$apt/conf apt-get update -qq && cd "$apt" && APT_CONFIG=$apt/conf apt-get source -qq --download-only hwloc &&
        tar xf hwloc_*.orig.tar.* -C "$source" --strip-components=1
)

# hwloc without the code that finds devices, and headers that are the same on every processor.
fill_sysroot() (
    [ -e "$sysroot/lib/pkgconfig/hwloc.pc" ] && return
    mkdir -p "$build/hwloc" "$sysroot/include" "$sysroot/lib/pkgconfig" && cp -r /usr/include/doctest /usr/include/relacy "$sysroot/include" &&
        cd "$build/hwloc" &&
        "$source/configure" --host=$processor-linux-gnu --prefix="$sysroot" --disable-shared --enable-static --disable-io \
            --disable-libxml2 --disable-cairo --disable-libudev --disable-plugins --disable-doxygen CFLAGS=-O1 &&
        make -s -C include install && make -s -C hwloc install && cp hwloc.pc "$sysroot/lib/pkgconfig"
)

configure() {
    # TUTTI_REDUCED_TESTS: fewer repetitions, as under the sanitizers.
    cmake -G Ninja -S . -B "$build/tree" --toolchain cmake/foreign.cmake -DTUTTI_FOREIGN=$processor -DTUTTI_SYSROOT="$sysroot" \
        -DCMAKE_BUILD_TYPE=Debug -DCMAKE_CXX_FLAGS_DEBUG=-O1 -DCMAKE_CXX_FLAGS=-DTUTTI_REDUCED_TESTS -DCMAKE_UNITY_BUILD=ON \
        -DTUTTI_BUILD_TESTS=ON -DTUTTI_BUILD_COMMAND=OFF -DTUTTI_BUILD_MPI=OFF -DTUTTI_BUILD_TBB=OFF -DTUTTI_BUILD_FORTRAN=OFF \
        -DTUTTI_INSTALL=OFF -DTUTTI_WARNINGS_AS_ERRORS=ON
}

run_test() { # NAME DIRECTORY
    local log=$build/$1.log code=0 cases
    echo "== $1"
    timeout 7200 qemu-$processor-static -L /usr/$processor-linux-gnu "$build/tree/tests/$2/$1" --no-colors=true >"$log" 2>&1 || code=$?
    cases=$(sed -n 's/^\[doctest\] test cases: *[0-9]* | *\([0-9]*\) passed | *\([0-9]*\) failed.*/\1 \2/p' "$log" | tail -n 1)
    read -r cases_passed cases_failed <<<"${cases:-0 0}"
    if [ "$code" -ne 0 ]; then
        echo "exit code $code; the end of $log:"
        tail -n 40 "$log"
        [ "$cases_failed" -gt 0 ] || cases_failed=1
    fi
    echo "$cases_passed passed, $cases_failed failed"
    passed=$((passed + cases_passed))
    failed=$((failed + cases_failed))
}

missing=''
for entry in g++-${processor/_/-}-linux-gnu:$processor-linux-gnu-g++ qemu-user-static:qemu-$processor-static make:make; do
    command -v "${entry#*:}" >/dev/null 2>&1 || missing="$missing ${entry%%:*}"
done
[ -e /usr/include/doctest/doctest.h ] || missing="$missing doctest-dev"
[ -e /usr/include/relacy/relacy.hpp ] || missing="$missing relacy-dev"
install_missing() {
    cmake/setup.sh build || return
    [ -z "$missing" ] || { apt-get update -qq && apt-get install -qq -y --no-install-recommends $missing; }
}
failed=1
step "installing what is missing" "$build/setup.log" install_missing || finish
step "getting the source of hwloc" "$build/source.log" get_hwloc_source || finish
step "building hwloc" "$build/hwloc.log" fill_sysroot || finish
step "configuring $build/tree" "$build/configure.log" configure || finish
step "building the library and tests, many minutes" "$build/build.log" cmake --build "$build/tree" -j "$(nproc)" \
    --target test_kernel test_c test_tasks test_api test_api_waits || finish
failed=0

# GCC 12 for arm64 has crashed on an example.
for program in examples/*.c components/c/tests/program.c; do
    if $processor-linux-gnu-gcc -std=c11 -O2 -fopenmp -Wall -Wextra -Werror -Iinclude -Icomponents/c/include -c "$program" -o "$build/program.o"; then
        passed=$((passed + 1))
    else
        echo "$program does not compile"
        failed=$((failed + 1))
    fi
done
run_test test_kernel kernel
run_test test_c c
run_test test_tasks tasks
run_test test_api api
run_test test_api_waits api
finish
