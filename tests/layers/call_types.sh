#!/bin/sh
# call_types.sh [PAGE]: compares the types that describe a call with the table of docs/architecture.md. A type may describe a call if its
# name has the word "Call" or "Calls", if it has a member `collective` or a call signature, or if it is made of a Call. The page states
# of each what it is.
set -eu
cd "$(dirname "$0")/../.."
page=${1:-docs/architecture.md}
most=12

section=$(sed -n '/^## The types of a call$/,/^## [^T]/p' "$page")
# The last name within the backquotes of the second column.
listed=$(echo "$section" | sed -n 's/^|[^|]*| `\([A-Za-z:]*\)` |.*/\1/p' | sed 's/.*:://' | sort)
others=$(echo "$section" | sed -n '/describe no call/,$p' | grep -o '`[A-Za-z:]*`' | tr -d '`' | sed 's/.*:://' | sort)
# Each struct and class that is defined, without attributes and macros, and "call" if it may describe one.
defined=$(find include src components/*/include components/*/src -name '*.[ch]pp' -exec cat {} + | awk '
    { indent = match($0, /[^ ]/) - 1 }
    /^ *(struct|class) .*[^;]$/ {
        name = $0
        gsub(/alignas\([^)]*\)|\[\[[^]]*\]\]|TUTTI_[A-Z_]+/, "", name)
        sub(/^ *(struct|class) +/, "", name)
        sub(/[^A-Za-z:].*/, "", name)
        sub(/.*:/, "", name)
        owner[indent] = name
        print name, name ~ /Calls?([A-Z]|$)/ ? "call" : ""
    }
    /^ *}/ { delete owner[indent] }
    /^ +([a-z]+::)*(Collective collective|CallSignature [a-z_]*signature)_?( =.*)?;/ && indent - 4 in owner { print owner[indent - 4], "call" }
    /[ (]const (detail::)?Call& / && indent - 4 in owner && $0 ~ " " owner[indent - 4] "\\(" { print owner[indent - 4], "call" }
' | sort -u)

failed=0
for name in $listed; do
    if ! echo "$defined" | grep -q "^$name "; then
        echo "$page lists $name, which is neither a struct nor a class: remove its row"
        failed=1
    fi
done
for name in $(echo "$defined" | sed -n 's/ call$//p'); do
    if ! printf '%s\n' $listed $others | grep -qx "$name"; then
        echo "$page does not state what $name is: merge it with a type of the table, or list it"
        failed=1
    fi
done
count=$(echo "$listed" | wc -w)
if [ "$count" -eq 0 ] || [ "$count" -gt $most ]; then
    echo "$page lists $count types that describe a call; there must be 1 to $most"
    failed=1
fi
exit $failed
