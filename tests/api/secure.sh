#!/bin/bash
# secure.sh PROGRAM: a program that runs with more rights than its user ignores Tutti's environment variables. The copy is
# set-group-ID for another group of the user, or for any group if the user is root.
set -u
program=$1
copy=$program.set_group_id
trap 'rm -f "$copy" "$copy.trace"' EXIT
unset ${!TUTTI_*}

nonsense=(TUTTI_ISA=nonsense TUTTI_TIMEOUT=nonsense TUTTI_WAIT=nonsense TUTTI_ROLL_CALL=nonsense TUTTI_TRACE=,steps TUTTI_TUNING_SAVE=/nonesuch/tuned)
for variable in "${nonsense[@]}"; do
  [ -n "$(env "$variable" "$program" plain 2>&1)" ] || { echo "$variable is believed nowhere"; exit 1; }
done
for group in $(id -G) 65534; do
  [ "$group" = "$(id -g)" ] && continue
  cp "$program" "$copy" && chgrp "$group" "$copy" 2> /dev/null && chmod g+s "$copy" || continue
  "$copy" secure
  [ $? = 77 ] && continue # such as on a file system without set-group-ID
  for variable in "${nonsense[@]}" "TUTTI_TRACE=$copy.trace"; do
    [ -z "$(env "$variable" "$copy" secure 2>&1)" ] || { echo "$variable is believed in spite of more rights"; exit 1; }
  done
  [ -e "$copy.trace" ] && { echo "TUTTI_TRACE has written a file in spite of more rights"; exit 1; }
  tuning=$(TUTTI_TUNING=$copy.none "$copy" secure 2>&1)
  [ -z "$tuning" ] || { echo "TUTTI_TUNING is believed in spite of more rights: $tuning"; exit 1; }
  echo "group $group: no variable is believed"
  exit 0
done
echo "skipped: this user can make no program that is set-group-ID"
exit 77
