#!/bin/sh
# debian.sh CMAKE CPACK SHARED BUILT DIRECTORY OPTIONS...: makes the Debian packages, checks what they depend on, and
# unpacks them: the three of the library and the command into DIRECTORY/root, all into DIRECTORY/root_all.
#
# The packages are those of a shared build with the command, which is configured with OPTIONS, but not compiled again: the
# libraries are taken from the build directory SHARED, the command from BUILT, which may be `none`.
set -eu
cmake=$1 cpack=$2 shared=$3 built=$4 directory=$5
shift 5
fail() {
    echo "$1"
    exit 1
}

rm -rf "$directory"
"$cmake" -B "$directory/build" "$@" -DBUILD_SHARED_LIBS=ON -DTUTTI_BUILD_TESTS=OFF
made=$(sed -n 's/^set(CPACK_COMPONENTS_ALL "\(.*\)")/\1/p' "$directory/build/CPackConfig.cmake")
libraries=$(echo "$made" | tr ';' '\n' | grep ^libtutti | paste -sd ';')
sources="$shared;tutti;libraries;/"
if [ "$built" = none ]; then
    [ "$made" = "$libraries" ] || fail "there are packages of more than the libraries: $made"
else
    [ "$made" = "$libraries;tutti" ] || fail "there is no package of the command: $made"
    sources="$sources;$built;tutti;command;/"
fi
"$cpack" -G DEB --config "$directory/build/CPackConfig.cmake" -B "$directory" \
    -D CPACK_INSTALL_CMAKE_PROJECTS="$sources" -D CPACK_COMPONENTS_LIBRARIES="$libraries" \
    -D CPACK_COMPONENTS_COMMAND=tutti \
    -D CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS="$(find "$shared" -name 'libtutti*.so' -printf '%h\n' | sort -u | paste -sd ';')"

# depends PACKAGE PATTERN [not]: what a package depends on.
depends() {
    found=$(dpkg-deb -f "$directory/$1"_*.deb Depends)
    if echo "$found" | grep -Eq "(^|, )$2(,|$| \()"; then
        [ "${3:-}" != not ] || fail "$1 depends on $2: $found"
    else
        [ "${3:-}" = not ] || fail "$1 does not depend on $2: $found"
    fi
}
version=$(dpkg-deb -f "$directory"/libtutti_*.deb Version | sed 's/\./\\./g')
depends libtutti 'libhwloc[0-9]+'
depends libtutti 'libc6'
depends libtutti '[^,]*(mpi|tbb|fmt)[^,]*' not
depends libtutti-dev "libtutti \(= $version\)"
depends libtutti-dev '[^,]*mpi[^,]*' not
depends libtutti-c "libtutti \(= $version\)"
depends libtutti-c-dev "libtutti-dev \(= $version\)"
depends libtutti-c-dev "libtutti-c \(= $version\)"
[ "$built" = none ] || depends tutti '[^,]*mpi[^,]*' not
case $made in *libtutti-mpi*)
    depends libtutti-mpi "libtutti \(= $version\)"
    depends libtutti-mpi 'lib(open)?mpi[^,]*'
    depends libtutti-mpi-dev "libtutti-dev \(= $version\)"
    depends libtutti-mpi-dev "libtutti-mpi \(= $version\)"
    depends libtutti-mpi-dev '(libopenmpi-dev|libmpich-dev|mpi-default-dev)'
    depends libtutti-cmpi "libtutti-mpi \(= $version\)"
    depends libtutti-cmpi-dev "libtutti-c-dev \(= $version\)"
    depends libtutti-cmpi-dev "libtutti-mpi-dev \(= $version\)"
    ;;
esac
case $made in *libtutti-fmpi*)
    depends libtutti-fmpi "libtutti-cmpi \(= $version\)"
    depends libtutti-fmpi-dev "libtutti-fortran-dev \(= $version\)"
    ;;
esac

case $made in *libtutti-tbb*)
    depends libtutti-tbb-dev "libtutti-dev \(= $version\)"
    depends libtutti-tbb-dev libtbb-dev
    ;;
esac

[ "$(find "$directory" -maxdepth 1 -name '*.deb' | wc -l)" = "$(echo "$made" | tr ';' '\n' | wc -l)" ] ||
    fail "there are other packages than $made"
seen=$directory/files
for package in $(echo "$made" | tr ';' ' '); do
    deb=$(echo "$directory/$package"_*.deb)
    files=$(dpkg-deb --fsys-tarfile "$deb" | tar t | grep -v '/$')
    case $package in *-dev | tutti) ;; *)
        ! echo "$files" | grep -v -e '\.so\.[0-9.]*$' -e '/copyright$' || fail "$package has this besides a library"
        ;;
    esac
    echo "$files" >>"$seen"
    dpkg -x "$deb" "$directory/root_all"
    case $package in libtutti | libtutti-dev | tutti) dpkg -x "$deb" "$directory/root" ;; esac
    grep -q '^License: Apache-2.0$' "$directory/root_all/usr/share/doc/$package/copyright" ||
        fail "$package has no copyright file"
done
twice=$(sort "$seen" | uniq -d)
[ -z "$twice" ] || fail "in two packages: $twice"
