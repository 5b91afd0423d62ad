#!/bin/sh
# exported_symbols.sh NM PREFIX NAME [LIST]: compares what the shared library NAME installed in PREFIX shows with the LIST
# of what it is to show; prints it where there is no LIST.
#
# Left out are weak symbols that are not the library's own: which of the standard library's templates there are differs
# from compiler to compiler.
set -eu
nm=$1 prefix=$2 name=$3 list=${4:-}
library=$(find "$prefix" -name "lib$name.so")

shown() {
    "$nm" --dynamic --demangle --defined-only --no-sort "$library" |
        sed 's/^[0-9a-f]* //' |
        awk '!/^[WVu] / || /^. ((typeinfo|typeinfo name|vtable) for )?tutti::/ {
                 sub(/^. /, "")
                 sub(/ompi_communicator_t\*/, "int") # MPI_Comm, of Open MPI and of MPICH
                 print
             }' |
        LC_ALL=C sort -u
}

if [ -z "$list" ]; then
    shown
elif ! shown | diff -u "$list" -; then
    echo "$library shows something else than $list says."
    echo "What is declared TUTTI_API or TUTTI_COMPONENT_API is shown. If the difference is meant, renew the list:"
    echo "$0 $nm $prefix $name >$list"
    exit 1
fi
