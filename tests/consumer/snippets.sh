#!/bin/sh
# snippets.sh SOURCE: checks that each project of docs/install.md, a block of ```cmake or ```meson with a line `project(app`, is one
# that a test builds: all its lines are in one of the files below, which call the program `consumer` and have it in other files.
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
plain() { # FILE: names and files as on the page
    sed -e 's/consumer/app/g' -e 's/\${MINIMUM}/3.5/' -e 's/\.\.\/small\.cpp/main.cpp/' -e 's/small\.cpp/main.cpp/' -e 's/\.\.\/c_main\.c/main.c/' "$1"
}
found=0
for block in "$blocks"/line_*; do
    in=''
    for file in find_package_old/CMakeLists.txt old_standard/CMakeLists.txt c/CMakeLists.txt meson/meson.build; do
        missing=$(plain "$here/$file" | grep -v -x -F -f - "$block" || true)
        [ "$missing" ] || in=$file
    done
    [ "$in" ] || { echo "docs/install.md, $(basename "$block"): no test builds this:"; cat "$block"; exit 1; }
    echo "docs/install.md, $(basename "$block"): $in"
    found=$((found + 1))
done
[ "$found" -ge 4 ] || { echo "only $found projects found"; exit 1; }
