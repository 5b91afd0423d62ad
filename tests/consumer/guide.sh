#!/bin/bash
# guide.sh COMPILER PREFIX SOURCE DIRECTORY: does in DIRECTORY what docs/guide.md tells a reader to do, with the library and the
# command that are installed in PREFIX: writes its files and runs its commands, and compares what they print with what
# it says. Left out is section 1, which builds what is installed here; of section 6 the sources are compiled, not the command.
set -eu
compiler=$1 prefix=$2 source=$3 directory=$4
rm -rf "$directory"
mkdir -p "$directory/steps" "$directory/home/clone"
ln -s "$prefix" "$directory/home/tutti"
cp -r "$source/src" "$source/topology" "$source/include" "$directory/home/clone"

# A file for each block, in order: N.write with the name in the first line, N.run, N.print.
awk -v steps="$directory/steps" '
    /^## / { section = $2 + 0 }
    /^```/ && inside { inside = 0; close(file); next }
    /^```/ {
        inside = 1
        file = "/dev/null"
        number = sprintf("%s/%03d", steps, ++blocks)
        if (section < 2) next
        if ($0 == "```sh") file = number ".run"
        else if ($0 == "```text") file = number ".print"
        else if (written != "") { file = number ".write"; print written >file }
        written = ""
        next
    }
    inside { print >file; next }
    match($0, /Write this to `[^`]*`:$/) { written = substr($0, RSTART + 15, RLENGTH - 17) }
' "$source/docs/guide.md"

export HOME=$directory/home TUTTI_SOURCE=$directory/home/clone PATH=$prefix/bin:$PATH CXX=$compiler
LD_LIBRARY_PATH=$(dirname "$(find "$prefix" -name 'libtutti.*' | head -n 1)")
export LD_LIBRARY_PATH
cd "$HOME"
ran=0
for step in "$directory"/steps/*; do
    case $step in
    *.write)
        tail -n +2 "$step" >"$(head -n 1 "$step")"
        ;;
    *.run)
        if grep -q 'build/guide' "$step"; then
            "$compiler" -std=c++20 -fsyntax-only -Isrc -Isrc/engine -Isrc/library -Itopology -Iinclude src/engine/algorithm/rows.cpp
            [ "$(grep -c 'doubling\.hpp\|"doubling"' src/engine/algorithm/rows.cpp)" = 3 ] || { echo "rows.cpp has not become what the guide says"; exit 1; }
            ran=$((ran + 1))
            continue
        fi
        if grep -q '^tutti' "$step" && ! command -v tutti >/dev/null; then
            echo "left out, there is no command: $(cat "$step")"
            continue
        fi
        echo "== $(cat "$step")"
        set +u
        . "$step" >"$directory/printed" 2>&1 || { cat "$directory/printed"; echo "failed: $(cat "$step")"; exit 1; }
        set -u
        ran=$((ran + 1))
        ;;
    *.print)
        # The last lines, after what was printed while it was built.
        tail -n "$(wc -l <"$step")" "$directory/printed" | diff - "$step" || { echo "that is not what the guide says"; exit 1; }
        ;;
    esac
done
echo "$ran steps"
[ "$ran" -gt 6 ]
