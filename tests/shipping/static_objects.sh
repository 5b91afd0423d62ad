#!/bin/bash
# static_objects.sh PROGRAM: a program with static groups. No environment variable ends it before main(): each wrong one is
# ignored, and reported once. A trace is written at its end.
set -u
program=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
unset ${!TUTTI_*}

run() { # VARIABLES...
  printed=$(env "$@" "$program" 2> "$work/errors") || { echo "with $*: exit code $?"; cat "$work/errors"; exit 1; }
  [ "$printed" = "after main" ] || { echo "with $*: printed $printed"; exit 1; }
}

run
[ -s "$work/errors" ] && { cat "$work/errors"; exit 1; }

wrong=(TUTTI_ISA=nonsense TUTTI_TIMEOUT=nonsense TUTTI_WAIT=nonsense TUTTI_ROLL_CALL=nonsense TUTTI_TRACE=,steps)
run "${wrong[@]}" TUTTI_TUNING="$work/none"
for variable in "${wrong[@]}"; do
  report="tutti: ${variable%%=*}: \"${variable#*=}\" is ignored: use "
  [ "$(grep -c "^$report" "$work/errors")" = 1 ] || { echo "not once: $report"; cat "$work/errors"; exit 1; }
done
grep -q "^tutti: TUTTI_TUNING: tuning file $work/none" "$work/errors" || { cat "$work/errors"; exit 1; }
[ "$(wc -l < "$work/errors")" = $((${#wrong[@]} + 1)) ] || { cat "$work/errors"; exit 1; }

run TUTTI_TUNING_SAVE="$work/none/tuned"
[ "$(grep -c "^tutti: TUTTI_TUNING_SAVE: $work/none/tuned cannot be saved: " "$work/errors")" = 1 ] || { cat "$work/errors"; exit 1; }

run TUTTI_TRACE="$work/trace" TUTTI_ROLL_CALL=USR1
[ -s "$work/trace" ] || { echo "no trace was written"; exit 1; }
echo "static groups work before, in and after main()"
