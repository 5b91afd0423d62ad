#!/bin/sh
# pkg_config_files.sh PREFIX: checks all pkg-config files that are installed in PREFIX.
set -eu
files=$(find "$1" -name '*.pc')
[ -n "$files" ] || { echo "there are none in $1"; exit 1; }
for file in $files; do
    PKG_CONFIG_PATH=$(dirname "$file") pkg-config --validate --print-errors "$(basename "$file" .pc)"
    echo "$file"
done
