#!/bin/sh
# document.sh DOCUMENT SOURCE...: that the table of DOCUMENT has the procedures of the module, whose sources these are, each with its
# arguments in order and those that are optional in brackets, and no others; and that it names all types and constants.
set -eu
document=$1
shift
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
module=$work/source
sed ':a
/&$/{
N
s/ *&\n */ /
ba
}
s/( /(/' "$@" >"$module" # a statement in one line

# NAME(a, b [, c]) of each procedure, whose declarations end with the first `end` of one.
awk '
    !name && /^ *(subroutine|function|type\(tutti_caller\) function) tutti_/ {
        match($0, /tutti_[a-z0-9_]*\([^)]*\)/)
        text = substr($0, RSTART, RLENGTH - 1)
        name = substr(text, 1, index(text, "(") - 1)
        n = split(substr(text, index(text, "(") + 1), arguments, ", ")
        split("", is_optional)
        next
    }
    name && /optional.*::/ {
        sub(/.*:: */, "")
        gsub(/\(:\)/, "")
        m = split($0, names, ", ")
        for (i = 1; i <= m; ++i) is_optional[names[i]] = 1
    }
    name && /^ *end (subroutine|function)/ {
        line = name "("
        for (i = 1; i <= n; ++i) {
            a = arguments[i]
            line = line (is_optional[a] ? " [, " a "]" : (i > 1 ? ", " : "") a)
        }
        print line ")"
        name = ""
    }
' "$module" | LC_ALL=C sort >"$work/module"
sed -n 's/^| `\(tutti_[a-z0-9_]*([^`]*)\)` |.*/\1/p' "$document" | LC_ALL=C sort >"$work/document"
[ -s "$work/module" ] || { echo "$module: no procedures found"; exit 1; }
diff -u "$work/document" "$work/module" || { echo "$document: its table is not what $module has"; exit 1; }

{
    grep -o '\<TUTTI_[A-Z0-9_]*' "$module"
    sed -n 's/^ *type, bind(c) :: //p' "$module"
} | LC_ALL=C sort -u >"$work/names"
while read -r name; do
    grep -q "\`$name\`" "$document" || { echo "$document: does not name $name"; exit 1; }
done <"$work/names"
echo "$(wc -l <"$work/module") procedures, $(wc -l <"$work/names") types and constants"
