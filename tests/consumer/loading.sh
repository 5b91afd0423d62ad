#!/bin/sh
# loading.sh READELF PREFIX NAMES...: the shared libraries NAMES installed in PREFIX can be loaded late, because they need no static
# thread-local memory, and dlclose() does not unload them.
set -eu
readelf=$1 prefix=$2
shift 2
for name in "$@"; do
    library=$(find "$prefix" -name "lib$name.so")
    flags=$("$readelf" -dW "$library" | grep -E 'FLAGS|\(DF_' || true)
    case $flags in
    *STATIC_TLS*) echo "$library: has thread-local variables of the model initial-exec" && exit 1 ;;
    *NODELETE*) echo "$library: NODELETE" ;;
    *) echo "$library: is not linked with -z nodelete" && exit 1 ;;
    esac
done
