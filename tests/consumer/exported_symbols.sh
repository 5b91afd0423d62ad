#!/bin/sh
# exported_symbols.sh NM PREFIX NAME [LIST]: compares the exports of the shared library NAME, installed in PREFIX, with the LIST;
# prints them if there is no LIST. Two classes of symbols may be there (src/exports.map.in):
#   public   used by programs: classes and functions of the public headers, and what inline functions of these headers call
#   private  used by the other libraries of Tutti: each is used by one of them
set -eu
nm=$1 prefix=$2 name=$3 list=${4:-}
library=$(find "$prefix" -name "lib$name.so")
components=$(find "$prefix" -name 'libtutti_*.so')

symbols() { # FLAG FILES...: "public NAME" or "private NAME"; the version as such is left out
    flag=$1
    shift
    "$nm" --dynamic --demangle "$flag" --with-symbol-versions --no-sort "$@" |
        sed -n -e 's/^[0-9a-f]* *\([A-Za-z]\) //' -e 's/ompi_communicator_t\*/int/' `# MPI_Comm, of Open MPI and of MPICH` \
            -e 's/^\(.*[^@]\)@@*TUTTI_[0-9.]*_PRIVATE$/private \1/p' -e 's/^\(.*[^@]\)@@*TUTTI_[0-9.]*$/public \1/p' |
        LC_ALL=C sort -u
}
without_version() { # exports that exports.map.in does not list
    "$nm" --dynamic --demangle --defined-only --with-symbol-versions "$library" | grep -v '@@*TUTTI_' | grep -v ' A TUTTI_'
}
if [ -z "$list" ]; then
    symbols --defined-only "$library"
    exit
fi
if without_version; then
    echo "$library exports the symbols above without a version."
    exit 1
fi
if ! symbols --defined-only "$library" | diff -u "$list" -; then
    echo "$library exports other symbols than $list lists."
    echo "Symbols declared TUTTI_API or TUTTI_COMPONENT_API are exported. If the difference is intended, renew the list:"
    echo "$0 $nm $prefix $name >$list"
    exit 1
fi
if [ "$name" = tutti ] && [ -n "$(find "$prefix" -name libtutti_mpi.so)" ]; then
    used=$(mktemp)
    trap 'rm -f "$used"' EXIT
    # shellcheck disable=SC2086
    symbols --undefined-only $components >"$used"
    # Templates are instantiated for all at once.
    if grep '^private ' "$list" | grep -v '<[0-9]*ul>::' | LC_ALL=C comm -23 - "$used" | grep .; then
        echo "No other library of Tutti uses the symbols above: declare them without TUTTI_COMPONENT_API."
        exit 1
    fi
fi
