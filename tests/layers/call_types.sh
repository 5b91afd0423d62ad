#!/bin/sh
# call_types.sh [PAGE]: compares the types that describe a call with the table of docs/architecture.md. A type describes a call if the
# table lists it, or if its name has the word "Call" and the page does not state that it is something else.
set -eu
cd "$(dirname "$0")/../.."
page=${1:-docs/architecture.md}
most=12

section=$(sed -n '/^## The types of a call$/,/^## [^T]/p' "$page")
# The last name within the backquotes of the second column.
listed=$(echo "$section" | sed -n 's/^|[^|]*| `\([A-Za-z:]*\)` |.*/\1/p' | sed 's/.*:://' | sort)
others=$(echo "$section" | sed -n '/describe no call/,/^$/p' | grep -o '`[A-Za-z]*`' | tr -d '`' | sort)
# Each struct and class that is defined: its attributes and macros are skipped.
defined=$(find include src components/*/include components/*/src -name '*.[ch]pp' -exec cat {} + |
    sed -nE 's/^ *(struct|class) ((alignas\([^)]*\)|\[\[[^]]*\]\]|TUTTI_[A-Z_]*) )*([A-Za-z:]+)[^;]*$/\4/p' | sed 's/.*:://' | sort -u)

failed=0
for name in $listed; do
    if ! echo "$defined" | grep -qx "$name"; then
        echo "$page lists $name, which is neither a struct nor a class: remove its row"
        failed=1
    fi
done
for name in $(echo "$defined" | grep -E 'Call([A-Z]|$)'); do
    if ! printf '%s\n' $listed $others | grep -qx "$name"; then
        echo "$name is not in the table of $page: merge it with a type of the table, or state what it is"
        failed=1
    fi
done
count=$(echo "$listed" | wc -w)
if [ "$count" -eq 0 ] || [ "$count" -gt $most ]; then
    echo "$page lists $count types that describe a call; there must be 1 to $most"
    failed=1
fi
exit $failed
