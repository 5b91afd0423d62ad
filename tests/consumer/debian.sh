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

version=$(dpkg-deb -f "$directory"/libtutti_*.deb Version)
# What a package depends on, or with `not` does not, if it is among those that are made.
while read -r package pattern is; do
    case ";$made;" in *";$package;"*) ;; *) continue ;; esac
    found=$(dpkg-deb -f "$directory/$package"_*.deb Depends)
    depends=''
    echo "$found" | grep -Eq "(^|, )$(echo "$pattern" | sed "s/=/ \\\\(= $version\\\\)/")(,|$| \()" || depends=not
    [ "$depends" = "$is" ] || fail "$package: $pattern $is: $found"
done <<END
libtutti libhwloc[0-9]+
libtutti libc6
libtutti [^,]*(mpi|tbb|fmt)[^,]* not
libtutti-dev libtutti=
libtutti-dev [^,]*mpi[^,]* not
libtutti-c libtutti=
libtutti-c-dev libtutti-dev=
libtutti-c-dev libtutti-c=
tutti [^,]*mpi[^,]* not
libtutti-mpi libtutti=
libtutti-mpi lib(open)?mpi[^,]*
libtutti-mpi-dev libtutti-dev=
libtutti-mpi-dev libtutti-mpi=
libtutti-mpi-dev (libopenmpi-dev|libmpich-dev|mpi-default-dev)
libtutti-cmpi libtutti-mpi=
libtutti-cmpi-dev libtutti-c-dev=
libtutti-cmpi-dev libtutti-mpi-dev=
libtutti-fmpi libtutti-cmpi=
libtutti-fmpi-dev libtutti-fortran-dev=
libtutti-tbb-dev libtutti-dev=
libtutti-tbb-dev libtbb-dev
END

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
