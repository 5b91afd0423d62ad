#!/bin/sh
# snippets.sh SOURCE: checks that each project of docs/install.md, a block of ```cmake or ```meson with a line `project(app`, is one
# that a test builds: all its lines are in one of the files below, which call the program `consumer` and have parameters.
set -eu
here=$(dirname "$0")
blocks=$(mktemp -d)
trap 'rm -rf "$blocks"' EXIT
awk -v directory="$blocks" '
    /^```/ && inside { inside = 0; if (project) printf "%s", text >(directory "/line_" first); next }
    /^```(cmake|meson)$/ { inside = 1; project = 0; text = ""; first = NR + 1; next }
    inside { text = text $0 "\n" }
    inside && /^project\(/ { project = 1 }
' "$1/docs/install.md"
plain() { # FILE LANGUAGE COMPONENT: names and files as on the page
    sed -e 's/consumer/app/g' -e 's/\.\.\/\${SOURCE}\|small\.cpp/main.cpp/' -e 's/\${MINIMUM}/3.5/' -e "s/\${languages}/${2:-}/" \
        -e "s/ COMPONENTS \${COMPONENT}/${3:+ COMPONENTS $3}/" -e "s/\${TARGET}/${3:-tutti}/" ${3:+-e 's/main\.cpp/main.c/'} "$1"
}
found=0
for block in "$blocks"/line_*; do
    in=''
    for file in "program/CMakeLists.txt CXX" "program/CMakeLists.txt C c" old_standard/CMakeLists.txt meson/meson.build; do
        # shellcheck disable=SC2086
        missing=$(plain "$here"/$file | grep -v -x -F -f - "$block" || true)
        [ "$missing" ] || in=$file
    done
    [ "$in" ] || { echo "docs/install.md, $(basename "$block"): no test builds this:"; cat "$block"; exit 1; }
    echo "docs/install.md, $(basename "$block"): $in"
    found=$((found + 1))
done
[ "$found" -ge 4 ] || { echo "only $found projects found"; exit 1; }
