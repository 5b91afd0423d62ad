#!/bin/sh
# setup.sh SETUP DIRECTORY: without apt-get, SETUP prints the command of the package manager that is there, and runs nothing. In the PATH
# below, all commands are missing.
set -eu
setup=$1 directory=$2
rm -rf "$directory"
while read -r manager tools mpi; do
    mkdir -p "$directory/$manager"
    printf '#!/bin/sh\necho it runs\n' >"$directory/$manager/$manager"
    chmod +x "$directory/$manager/$manager"
    code=0
    printed=$(PATH="$directory/$manager" /bin/sh "$setup" build bench 2>&1) || code=$?
    case "$code $printed" in
    *"it runs"*) ;;
    "4 "*"as root, run: $manager install cmake gcc-c++ $tools pkgconf-pkg-config"*" $mpi-devel $mpi"*) continue ;;
    esac
    echo "with $manager: exit code $code: $printed"
    exit 1
done <<END
dnf ninja-build openmpi
zypper ninja openmpi4
END
