#!/bin/sh
# documents.sh SOURCE PREFIX: checks that what SOURCE says of itself, beside the code, is true: version, licence and
# citations; and that the licence is installed in PREFIX, and beside the module for Fortran what describes it, without links.
set -eu
source=$1 prefix=$2
cd "$source"
fail() {
    echo "$1"
    exit 1
}

number() { # of version.h
    sed -n "s/^#define TUTTI_VERSION_$1 //p" include/tutti/version.h
}
version=$(number STRING | tr -d '"')
[ "$version" = "$(number MAJOR).$(number MINOR).$(number PATCH)" ] || fail "version.h contradicts itself"
grep -qx "inline namespace v$(number MAJOR)_$(number MINOR) {}" include/tutti/version.hpp || fail "version.hpp has the namespace of another version"

grep '^## ' CHANGELOG.md | head -n 1 | grep -q "^## $version\(,\|$\)" || fail "CHANGELOG.md starts with another version than $version"

for key in cff-version message title authors type license version; do # the first four are those that the format requires
    [ "$(grep -c "^$key:" CITATION.cff)" = 1 ] || fail "CITATION.cff: no $key, or several"
done
grep -q '^cff-version: 1\.2\.0$' CITATION.cff || fail "CITATION.cff: another format than 1.2.0"
grep -qx "version: $version" CITATION.cff || fail "CITATION.cff: another version than $version"
grep -qx "license: Apache-2.0" CITATION.cff || fail "CITATION.cff: another licence than Apache-2.0"
references=$(sed -n '/^references:/,$p' CITATION.cff)
number_of() {
    echo "$references" | grep -c "^ *\(- \)\?$1:"
}
for key in title year authors; do
    [ "$(number_of type)" = "$(number_of $key)" ] || fail "CITATION.cff: a reference without $key"
done
for year in $(grep -ho '\(Träff\|et al\.\) [12][0-9]*' src/engine/algorithm/rows.cpp src/engine/algorithm/closed_forms.hpp | grep -o '[0-9]*$' | sort -u); do
    echo "$references" | grep -q "^ *year: $year$" || fail "CITATION.cff: no paper of $year, which a row of src/engine/algorithm names"
done

head -n 3 LICENSE | tr -s ' \n' ' ' | grep -q 'Apache License Version 2.0' || fail "LICENSE is not Apache-2.0"
grep -q 'Licence: \[Apache-2.0\](LICENSE)' README.md || fail "README.md does not name the licence"
cmp LICENSE LICENSES/Apache-2.0.txt # where REUSE 3.2 looks for it
[ "$(grep -cE '^(version|path|SPDX-FileCopyrightText|SPDX-License-Identifier) = ' REUSE.toml)" = 4 ] || fail "REUSE.toml is incomplete"
[ "$(head -qn 1 components/fortran/src/*.f90.in components/fortran/src/*/*.f90.in | sort -u)" = '! SPDX-License-Identifier: Apache-2.0' ] || fail "a Fortran module names no licence"
cmp LICENSE "$prefix/share/doc/tutti/LICENSE"
[ ! -e "$prefix/include/tutti/fortran/tutti.mod" ] ||
    sed 's/\[\([^]]*\)\]([^)]*)/\1/g' docs/fortran.md | cmp - "$prefix/share/doc/tutti/fortran.md"
