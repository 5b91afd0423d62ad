#!/bin/sh
# Installs the Debian packages that are missing, and only those.
#
#   cmake/setup.sh build          what the library and the command are built with
#   cmake/setup.sh build bench    the same, and Open MPI to compare with
#   cmake/setup.sh build test     the same, and what the tests need, with both MPI libraries
#   cmake/setup.sh lint           what the format and the sources are checked with
#
# Needs neither root nor a network where everything is there. Exit code 4: something is missing and cannot be
# installed.
set -eu

# package:what it brings, a command or a file below an include directory
build_packages='cmake:cmake g++:g++ ninja-build:ninja pkg-config:pkg-config libhwloc-dev:hwloc.h libtbb-dev:tbb/parallel_for.h libcli11-dev:CLI/CLI.hpp
    nlohmann-json3-dev:nlohmann/json.hpp libfmt-dev:fmt/format.h'
bench_packages='libopenmpi-dev:mpicxx.openmpi openmpi-bin:mpirun.openmpi'
test_packages='doctest-dev:doctest/doctest.h relacy-dev:relacy/relacy.hpp libopenmpi-dev:mpicxx.openmpi openmpi-bin:mpirun.openmpi
    libmpich-dev:mpicxx.mpich mpich:mpirun.mpich iproute2:ip'
lint_packages='clang-format:clang-format clang-tidy:run-clang-tidy'

is_there() {
    command -v "$1" >/dev/null 2>&1 || [ -e "/usr/include/$1" ] || [ -e "/usr/local/include/$1" ]
}

missing=''
for group in "${@:-build}"; do
    case $group in
    build) packages=$build_packages ;;
    bench) packages=$bench_packages ;;
    test) packages=$test_packages ;;
    lint) packages=$lint_packages ;;
    *)
        echo "cmake/setup.sh: \"$group\" is unknown; there are: build, bench, test, lint" >&2
        exit 2
        ;;
    esac
    for entry in $packages; do
        is_there "${entry#*:}" || missing="$missing ${entry%%:*}"
    done
done

if [ -z "$missing" ]; then
    exit 0
fi
if ! command -v apt-get >/dev/null 2>&1; then
    echo "cmake/setup.sh: these are missing, and there is no apt-get to install them:$missing" >&2
    exit 4
fi
as_root=''
if [ "$(id -u)" -ne 0 ]; then
    if ! command -v sudo >/dev/null 2>&1; then
        echo "cmake/setup.sh: as root, run: apt-get install$missing" >&2
        exit 4
    fi
    as_root='sudo'
fi
echo "installing$missing"
export DEBIAN_FRONTEND=noninteractive
# Word splitting of the lists is meant.
{ $as_root apt-get update -qq && $as_root apt-get install -qq -y --no-install-recommends $missing; } >&2 || {
    echo "cmake/setup.sh: apt-get could not install$missing" >&2
    exit 4
}
