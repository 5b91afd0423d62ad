#!/bin/sh
# step.sh SOURCE DIRECTORY: a step of the scripts (cmake/step.sh) is one line, but where it fails, which shows its log.
set -eu
directory=$2
rm -rf "$directory"
. "$1/cmake/step.sh"
fail() {
    echo "$1"
    exit 1
}
said=$(step "to sing" "$directory/logs/sing.log" sh -c 'echo la; echo la >&2' 2>&1)
[ "$(echo "$said" | wc -l)" = 1 ] || fail "more than a line: $said"
echo "$said" | grep -q '^to sing \.\.\. [0-9]* s$' || fail "not what was done: $said"
[ "$(grep -c la "$directory/logs/sing.log")" = 2 ] || fail "the log does not have both streams"
code=0
said=$(step "to fail" "$directory/logs/fail.log" sh -c 'echo out of tune; exit 3' 2>&1) || code=$?
[ "$code" = 3 ] || fail "the exit code is $code"
echo "$said" | grep -q 'out of tune' || fail "the log is not shown: $said"
echo "$said" | grep -q "$directory/logs/fail.log" || fail "the log is not named: $said"
