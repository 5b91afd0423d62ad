#!/bin/sh
# exported_symbols.sh NM PREFIX NAME: examines the exports of the shared library NAME, installed in PREFIX. Two classes of symbols may
# be there (src/exports.map.in):
#   public   used by programs: a header of PREFIX, or the module of Fortran, has the name. The library of a C header has all functions
#            that the header declares
#   private  used by the other libraries of Tutti: each is used by one of them
set -eu
nm=$1 prefix=$2 name=$3
library=$(find "$prefix" -name "lib$name.so")
components=$(find "$prefix" -name 'libtutti_*.so')
source=$(dirname "$0")/../..
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0

symbols() { # FLAG FILES...: "public NAME" or "private NAME"; the version as such is left out
    flag=$1
    shift
    "$nm" --dynamic --demangle "$flag" --with-symbol-versions --no-sort "$@" |
        sed -n -e 's/^[0-9a-f]* *\([A-Za-z]\) //' -e 's/ompi_communicator_t\*/int/' `# MPI_Comm, of Open MPI and of MPICH` \
            -e 's/^\(.*[^@]\)@@*TUTTI_[0-9.]*_PRIVATE$/private \1/p' -e 's/^\(.*[^@]\)@@*TUTTI_[0-9.]*$/public \1/p' |
        LC_ALL=C sort -u
}
names() { # the last identifier of each symbol, without its arguments
    sed -e 's/^public //' -e 's/\[abi:[^]]*\]//g' -e 's/(.*//' -e 's/<$//' -e 's/^__tutti.*_MOD_//' -e 's/__.*_tutti\(_mpi\)*_T/t/' \
        -e 's/::~/::/' -e 's/::operator=$//' -e 's/.*:://' | sort -u
}
reports() { # TEXT: whether there is input; prints it and the text
    if grep .; then
        echo "$library: $1"
        failed=1
    fi
}

"$nm" --dynamic --demangle --defined-only --with-symbol-versions "$library" | grep -v '@@*TUTTI_' | grep -v ' A TUTTI_' >"$work/other" || true
reports "exports the symbols above without a version" <"$work/other"
symbols --defined-only "$library" >"$work/all"

find "$prefix/include" "$source" -path '*/tests' -prune -o -path "$prefix/include/*" -type f -print -o \
    \( -name '*.f90*' -o -path '*/docs/fortran.md' \) -print | xargs cat | grep -aoE '[A-Za-z_][A-Za-z0-9_]*' |
    awk '{ print; print tolower($0) } sub(/^tutti_/, "tutti_f_")' |
    sort -u >"$work/declared" # Fortran has no case, and compressed modules
grep '^public ' "$work/all" | names | comm -23 - "$work/declared" >"$work/undeclared"
reports "no header has the public names above: declare them with TUTTI_COMPONENT_API, or not at all" <"$work/undeclared"

case $name in
tutti_c) header=tutti.h ;;
tutti_cmpi) header=tutti_mpi.h ;;
*) header= ;;
esac
if [ -n "$header" ]; then
    find "$prefix/include" -name "$header" -exec sed -n 's/^TUTTI_API .*[ *]\(tutti_[a-z0-9_]*\)(.*/\1/p' {} + | sort -u >"$work/functions"
    sed -n 's/^public \(tutti_[a-z0-9_]*\)$/\1/p' "$work/all" | sort -u | comm -3 "$work/functions" - >"$work/differ"
    reports "the functions above are declared in $header or exported, but not both" <"$work/differ"
fi
if [ "$name" = tutti ] && [ -n "$(find "$prefix" -name libtutti_mpi.so)" ]; then
    # shellcheck disable=SC2086
    symbols --undefined-only $components >"$work/used"
    # Templates are instantiated for all at once.
    grep '^private ' "$work/all" | grep -v '<[0-9]*ul>::' | LC_ALL=C comm -23 - "$work/used" >"$work/unused" || true
    reports "no other library uses the private symbols above: declare them without TUTTI_COMPONENT_API" <"$work/unused"
fi
exit $failed
