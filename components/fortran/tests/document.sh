#!/bin/sh
# document.sh DOCUMENT SOURCE...: DOCUMENT, from whose tables the modules SOURCE are made, has a row of each procedure, also of those that
# are written by hand, and names all types and constants.
set -eu
document=$1
shift
sed -n -e 's/^ *subroutine \(tutti_[a-z0-9_]*\)(.*/| `\1(/p' -e 's/^ *\(type(tutti_member) \)\?function \(tutti_[a-z0-9_]*\)(.*/| `\2(/p' \
    -e 's/^ *type, bind(c) :: \(.*\)/`\1`/p' -e 's/.*:: \(TUTTI_[A-Z_]*\)$/`\1`/p' -e 's/\<\(TUTTI_[A-Z0-9_]*\) =/\n`\1`\n/gp' "$@" | grep '`' | sort -u | {
    names=0
    while read -r name; do
        grep -qF "$name" "$document" || { echo "$document: does not have $name"; exit 1; }
        names=$((names + 1))
    done
    echo "$names procedures, types and constants"
    [ $names -gt 100 ]
}
