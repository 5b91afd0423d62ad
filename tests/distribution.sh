#!/bin/bash
# README's commands, an installation and its consumers on another Debian, as root:
#
#   tests/distribution.sh SUITE [COMPILER]
#
# SUITE is bookworm, trixie or sid. COMPILER is gcc-N, clang-N or clang-N-libc++, by default the compiler of the suite. debootstrap makes a
# root directory of SUITE from the mirror of this machine's apt, for all its compilers. There, only the compiler is installed, and the
# packages that bench/run.sh and tests/run.sh install. All files lie below build/distribution. The result is added to
# build/distribution/results, from which `tests/site/platforms.sh --write` makes docs/platforms.tsv and the table of docs/shipping.md.
#
# The last line is `N passed, N failed`: bench/run.sh, cmake --install and each consumer count as one. With libc++, the parts that need
# oneTBB, MPI or Fortran are left out.
set -u
cd "$(dirname "$0")/.." || exit 1
. cmake/step.sh
suite=${1:-} compiler=${2:-}
number=${compiler#*-} number=${number%%-*}
preset=release flags='' linker_flags='' environment=''
# clang needs the headers of OpenMP beside it.
case $compiler in
'') cc=cc cxx=c++ packages='' ;;
gcc-*) cc=$compiler cxx=g++-$number packages="$cc $cxx" ;;
clang-*-libc++)
    cc=clang-$number cxx=clang++-$number packages="$cc libomp-$number-dev libc++-$number-dev libc++abi-$number-dev"
    preset=libcxx flags='-stdlib=libc++ -fexperimental-library' linker_flags=-stdlib=libc++
    ;;
clang-*) cc=$compiler cxx=clang++-$number packages="$cc libomp-$number-dev" ;;
*) suite='' ;;
esac
if [ -z "$suite" ] || [ "$(id -u)" -ne 0 ]; then
    echo "usage, as root: tests/distribution.sh SUITE [gcc-N|clang-N|clang-N-libc++]" >&2
    exit 2
fi
# Open MPI 6.0.0rc2 loses messages in shared memory if several threads of a process make calls; programs without Tutti hang as well.
[ "$suite" != sid ] || environment=OMPI_MCA_btl=^sm
work=$PWD/build/distribution
root=$work/$suite
logs=$work/logs/$suite${compiler:+-$compiler}
passed=0
failed=0

make_root() {
    [ ! -e "$root/complete" ] || return 0
    command -v debootstrap >/dev/null || { apt-get update -qq && apt-get install -qq -y --no-install-recommends debootstrap; } || return
    eval "$(apt-config shell http_proxy Acquire::http::Proxy)"
    [ -z "${http_proxy:-}" ] || export http_proxy
    local mirror
    mirror=$(apt-get indextargets --format '$(ORIGIN) $(LABEL) $(REPO_URI)' 'Created-By: Packages' | awk '$1 " " $2 == "Debian Debian" { print $3; exit }')
    [ -n "$mirror" ] || { echo "apt has no mirror of Debian"; return 1; }
    rm -rf --one-file-system "$root"
    mkdir -p "$work/cache" "$root"
    unshare --mount debootstrap --variant=minbase --cache-dir="$work/cache" "$suite" "$root" "$mirror" || return
    [ -z "${http_proxy:-}" ] || echo "Acquire::http::Proxy \"$http_proxy\";" >"$root/etc/apt/apt.conf.d/proxy"
    echo 'Acquire::Check-Valid-Until "false";' >"$root/etc/apt/apt.conf.d/old-mirror" # sid expires after a week
    touch "$root/complete"
}

# Runs a script in the tree of the root directory, with mounts that end with it.
inside() { # SCRIPT
    unshare --mount --pid --fork sh -c '
        root=$0 script=$1
        shift
        mount -t proc proc "$root/proc" && mount --rbind /sys "$root/sys" && mount -t devpts devpts "$root/dev/pts" &&
            mount -t tmpfs tmpfs "$root/dev/shm" &&
            exec chroot "$root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive "$@" \
                sh -c "cd /tutti && $script"' \
        "$root" "$1" CC="$cc" CXX="$cxx" ${environment:+"$environment"} ${flags:+CXXFLAGS="$flags" LDFLAGS="$linker_flags"}
}

# The root directory with the compiler and a tree of this version. The presets and the packages of libc++ have one number.
prepare() {
    make_root && cp /etc/resolv.conf "$root/etc/" && rm -rf --one-file-system "$root/tutti" && mkdir "$root/tutti" || return
    git ls-files -z --cached --others --exclude-standard | tar -c --null --ignore-failed-read -T - | tar -x -C "$root/tutti"
    [ "$preset" = release ] || sed -i "s/-19\b/-$number/g; s|/19/|/$number/|g" "$root/tutti/CMakePresets.json" "$root/tutti/cmake/setup.sh"
    inside "apt-get update -qq && apt-get -qq -y dist-upgrade && apt-get install -qq -y --no-install-recommends pkg-config $packages"
}

# Adds the tests that a script runs to the sum.
add() { # LOG SCRIPT
    echo "== $2"
    inside "$2" 2>&1 | tee "$logs/$1.log"
    if [[ $(tail -n 1 "$logs/$1.log") =~ ^([0-9]+)\ passed,\ ([0-9]+)\ failed$ ]]; then
        passed=$((passed + BASH_REMATCH[1]))
        failed=$((failed + BASH_REMATCH[2]))
    else
        failed=$((failed + 1))
    fi
}

# The compiler, its C++ library, and the versions of what else this combination uses.
describe() {
    inside 'echo "#include <version>" | $CXX $CXXFLAGS -std=c++20 -x c++ -E -dM -' | awk '
        { value[$2] = $3 }
        END {
            if ("__clang__" in value) print "clang " value["__clang_major__"] "." value["__clang_minor__"] "." value["__clang_patchlevel__"]
            else print "GCC " value["__GNUC__"] "." value["__GNUC_MINOR__"] "." value["__GNUC_PATCHLEVEL__"]
            print "_LIBCPP_VERSION" in value ? "libc++ " int(value["_LIBCPP_VERSION"] / 10000) : "libstdc++ " value["_GLIBCXX_RELEASE"]
        }'
    local package
    for package in ompi mpich hwloc tbb; do
        [ "$preset $package" = "release $package" ] || [ "$package" = hwloc ] || { echo -; continue; }
        inside "pkg-config --modversion $package" || echo -
    done
    inside 'cmake --version' | awk 'NR == 1 { print $3 }'
}

write_result() {
    { date -u +%F && echo "$suite" && describe && printf '%s\n' "$passed" "$failed" "$commit"; } | paste -s >>"$work/results"
    tail -n 1 "$work/results"
}

mkdir -p "$logs"
commit=$(git rev-parse --short=8 HEAD) # now: the tree may be another one at the end
git diff --quiet HEAD -- ':!docs' || commit+=' and changes'
if ! step "a root directory of $suite ${compiler:+with $compiler}" "$logs/root.log" prepare; then
    echo "0 passed, 1 failed"
    exit 1
fi
consumers='^consumer_(install|components|find_package|pkg_config_(dynamic|static)|(find_package|pkg_config)_(c|tbb|[cf]?mpi|fortran)|programs_[^l].*)$'
if [ "$preset" = release ]; then
    step "bench/run.sh" "$logs/bench.log" inside bench/run.sh && passed=1 || failed=1
else
    echo "left out with libc++, because the packages of Debian use libstdc++: bench/run.sh, oneTBB, MPI; and Fortran"
fi
add tests "tests/run.sh $preset"
add consumers "tests/run.sh $preset consumers '$consumers'"
if [ "$preset" = release ]; then
    # The other MPI library becomes that of the system, which CMake looks for again.
    inside 'update-alternatives --set mpi /usr/bin/mpicc.mpich && rm -r build/release/CMakeCache.txt build/release/tests/consumer/consumer_*'
    add mpich "tests/run.sh $preset consumers '^consumer_(find_package|pkg_config)_[cf]?mpi$'"
    inside 'update-alternatives --auto mpi'
fi
write_result
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
