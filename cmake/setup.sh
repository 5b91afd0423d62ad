#!/bin/sh
# Installs the Debian packages that are missing, and only those. Without apt-get, it prints the command of dnf or zypper that does.
#
#   cmake/setup.sh build          what the library and the command are built with, and D3, without which reports of the
#                                 command have no charts
#   cmake/setup.sh quick          what bench/run.sh without arguments needs: the same without D3, and Open MPI
#   cmake/setup.sh build bench    the same as build, and what to compare with: Open MPI, and where they can be had MPICH and
#                                 clang's OpenMP runtime, without which `tutti bench` skips them
#   cmake/setup.sh build test     the same, and what the tests need, with both MPI libraries, and Chromium, without which
#                                 they do not look at reports, and SPIN
#   cmake/setup.sh lint           what the format and the sources are checked with
#   cmake/setup.sh clang          what the preset `clang` needs: clang 14
#   cmake/setup.sh libcxx         what the preset `libcxx` needs: clang 19 and libc++
#   cmake/setup.sh docs           what makes the site and the reference, and what manual pages are tried with
#
# Needs neither root nor a network where everything is there. Exit code 4: something is missing and cannot be
# installed.
set -eu

# package:what it brings, a command or a file below an include directory
build_packages='cmake:cmake g++:g++ ninja-build:ninja pkg-config:pkg-config libhwloc-dev:hwloc.h libtbb-dev:tbb/parallel_for.h libcli11-dev:CLI/CLI.hpp
    nlohmann-json3-dev:nlohmann/json.hpp libfmt-dev:fmt/format.h'
build_optional='node-d3:/usr/share/nodejs/d3/dist/d3.min.js'
bench_packages='libopenmpi-dev:mpicxx.openmpi openmpi-bin:mpirun.openmpi'
bench_optional='libmpich-dev:mpicxx.mpich mpich:mpirun.mpich libomp-dev:/usr/lib/x86_64-linux-gnu/libomp.so.5'
test_packages='doctest-dev:doctest/doctest.h relacy-dev:relacy/relacy.hpp libopenmpi-dev:mpicxx.openmpi openmpi-bin:mpirun.openmpi
    libmpich-dev:mpicxx.mpich mpich:mpirun.mpich iproute2:ip dpkg-dev:dpkg-shlibdeps file:file python3:python3 gfortran:gfortran'
docs_packages='mkdocs:mkdocs doxygen:doxygen man-db:man'
test_optional='chromium:chromium meson:meson spin:spin'
clang_packages='clang-14:clang++-14'
libcxx_packages='clang-19:clang++-19 libclang-rt-19-dev:/usr/lib/llvm-19/lib/clang/19/lib/linux/libclang_rt.tsan-x86_64.a
    libc++-19-dev:/usr/lib/llvm-19/include/c++/v1/version libc++abi-19-dev:/usr/lib/llvm-19/lib/libc++abi.so'
lint_packages='clang-format:clang-format clang-tidy:run-clang-tidy'

# A relative name is never looked for in the current directory, which has a directory `cmake`.
is_there() {
    command -v "$1" >/dev/null 2>&1 || [ -e "/$1" ] || [ -e "/usr/include/$1" ] || [ -e "/usr/local/include/$1" ]
}

missing=''
missing_optional=''
for group in "${@:-build}"; do
    case $group in
    build) packages=$build_packages optional=$build_optional ;;
    quick) packages="$build_packages $bench_packages" optional='' ;;
    bench) packages=$bench_packages optional=$bench_optional ;;
    test) packages=$test_packages optional=$test_optional ;;
    lint) packages=$lint_packages optional='' ;;
    clang) packages=$clang_packages optional='' ;;
    libcxx) packages=$libcxx_packages optional='' ;;
    docs) packages=$docs_packages optional='' ;;
    *)
        echo "cmake/setup.sh: \"$group\" is unknown; there are: build, quick, bench, test, lint, clang, libcxx, docs" >&2
        exit 2
        ;;
    esac
    for entry in $packages; do
        is_there "${entry#*:}" || missing="$missing ${entry%%:*}"
    done
    for entry in $optional; do
        is_there "${entry#*:}" || missing_optional="$missing_optional ${entry%%:*}"
    done
done

cannot() { # exit only where something that is needed is missing
    echo "cmake/setup.sh: $1" >&2
    [ -n "$missing" ] && exit 4
    exit 0
}

# Prints the command that installs packages on Fedora, RHEL with EPEL and CRB, or openSUSE. Programs of MPI are not in PATH there, so rpm
# is asked as well.
other_command() { # dnf|zypper PACKAGES...
    manager=$1 names='' nowhere=''
    shift
    for package; do
        name=$package
        while read -r debian fedora opensuse; do
            [ "$debian" != "$package" ] || [ "$manager" != dnf ] || name=$fedora
            [ "$debian" != "$package" ] || [ "$manager" != zypper ] || name=$opensuse
        done <<END
g++             gcc-c++             gcc-c++
ninja-build     ninja-build         ninja
pkg-config      pkgconf-pkg-config  pkgconf-pkg-config
libhwloc-dev    hwloc-devel         hwloc-devel
libtbb-dev      tbb-devel           tbb-devel
libcli11-dev    cli11-devel         cli11-devel
nlohmann-json3-dev  json-devel      nlohmann_json-devel
libfmt-dev      fmt-devel           fmt-devel
libopenmpi-dev  openmpi-devel       openmpi4-devel
openmpi-bin     openmpi             openmpi4
libmpich-dev    mpich-devel         mpich-devel
libomp-dev      libomp-devel        libomp-devel
doctest-dev     doctest-devel       doctest-devel
iproute2        iproute             iproute2
gfortran        gcc-gfortran        gcc-fortran
dpkg-dev        -                   -
relacy-dev      -                   -
spin            -                   -
node-d3         -                   -
END
        if [ "$name" = - ]; then
            nowhere="$nowhere $package"
        elif ! rpm -q --quiet "$name" 2>/dev/null; then
            names="$names $name"
        fi
    done
    [ -z "$nowhere" ] || echo "cmake/setup.sh: there is no package like Debian's$nowhere" >&2
    [ -n "$names$nowhere" ] || exit 0
    [ -z "$names" ] || cannot "as root, run: $manager install$names"
    cannot "all other packages are installed"
}

if [ -z "$missing$missing_optional" ]; then
    exit 0
fi
if ! command -v apt-get >/dev/null 2>&1; then
    for manager in dnf zypper; do
        ! command -v $manager >/dev/null 2>&1 || other_command $manager $missing $missing_optional
    done
    cannot "these are missing, and there is no apt-get to install them:$missing$missing_optional"
fi
as_root=''
if [ "$(id -u)" -ne 0 ]; then
    if ! command -v sudo >/dev/null 2>&1; then
        cannot "as root, run: apt-get install$missing$missing_optional"
    fi
    as_root='sudo'
fi
echo "installing$missing$missing_optional"
export DEBIAN_FRONTEND=noninteractive
install() {
    $as_root apt-get install -qq -y --no-install-recommends "$@" >&2
}
$as_root apt-get update -qq >&2 || cannot "apt-get could not look up$missing$missing_optional"
# Word splitting of the lists is meant. Optional packages come one by one, so that one that fails stands
# alone.
if [ -n "$missing" ]; then
    install $missing || cannot "apt-get could not install$missing"
fi
for package in $missing_optional; do
    install "$package" || echo "cmake/setup.sh: what needs $package is left out" >&2
done
