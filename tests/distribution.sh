#!/bin/bash
# The two commands of README.md on another Debian, as root:
#
#   tests/distribution.sh SUITE
#
# debootstrap makes a root directory of SUITE, such as trixie, from the mirror of this machine's apt. There, bench/run.sh and tests/run.sh
# install the packages that they need, and nothing else is installed. All files lie below build/distribution. The last line is
# `N passed, N failed`; the first command counts as one.
set -u
cd "$(dirname "$0")/.." || exit 1
. cmake/step.sh
suite=${1:-}
if [ -z "$suite" ] || [ "$(id -u)" -ne 0 ]; then
    echo "usage, as root: tests/distribution.sh SUITE" >&2
    exit 2
fi
work=$PWD/build/distribution
root=$work/$suite
passed=0
failed=0
finish() {
    echo "$passed passed, $failed failed"
    [ "$failed" -eq 0 ]
    exit
}

make_root() {
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
    cp /etc/resolv.conf "$root/etc/"
    mkdir -p "$root/tutti"
    git ls-files -z --cached --others --exclude-standard | tar -c --null --ignore-failed-read -T - | tar -x -C "$root/tutti"
}

# Runs a script in the tree of the root directory, with mounts that end with it.
inside() { # SCRIPT
    unshare --mount --pid --fork sh -c '
        mount -t proc proc "$0/proc" && mount --rbind /sys "$0/sys" && mount -t devpts devpts "$0/dev/pts" &&
            mount -t tmpfs tmpfs "$0/dev/shm" &&
            exec chroot "$0" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 sh -c "cd /tutti && $1"' \
        "$root" "$1"
}

failed=1
step "making a root directory of $suite" "$work/root.log" make_root || finish
failed=0
if step "bench/run.sh" "$work/bench.log" inside bench/run.sh; then
    passed=1
else
    failed=1
fi
inside tests/run.sh 2>&1 | tee "$work/tests.log"
if [[ $(tail -n 1 "$work/tests.log") =~ ^([0-9]+)\ passed,\ ([0-9]+)\ failed$ ]]; then
    passed=$((passed + BASH_REMATCH[1]))
    failed=$((failed + BASH_REMATCH[2]))
else
    failed=$((failed + 1))
fi
finish
