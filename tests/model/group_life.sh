#!/bin/bash
# group_life.sh SPIN: checks the model group_life.pml, and that its faults are found.
set -eu
spin=$1
model=$(cd "$(dirname "$0")" && pwd)/group_life.pml
directory=$(mktemp -d)
trap 'rm -rf "$directory"' EXIT
cd "$directory"
check() { # what is expected, how the model differs, and the options of the compiler and of the search
    local values=() pair
    for pair in EPOCHS=1 REGIONS=1 CALLED=0 BOUND=true READY_FIRST=0 LOOK_FIRST=0 NO_BARRIER=0 NO_CALLING=0; do
        [[ " $2" == *" ${pair%=*}="* ]] || values+=("-D$pair")
    done
    for pair in $2; do values+=("-D$pair"); done
    # shellcheck disable=SC2086
    "$spin" -a "${values[@]}" "$model" >spin.out && cc -O1 -w -DCOLLAPSE ${3:--DSAFETY -DNOCLAIM} -o pan pan.c && ./pan -m100000 ${4:-} >pan.out
    echo "$2 ${4:-}: $(awk '/states, stored/ { print $1 }' pan.out) states, expected: $1"
    if ! grep -q "$1" pan.out || grep 'max search depth too small' pan.out; then cat pan.out && exit 1; fi
}

check 'errors: 0' 'EPOCHS=2 REGIONS=2'
check 'errors: 0' 'EPOCHS=0 REGIONS=2 CALLED=1'
check 'errors: 0' 'EPOCHS=2 REGIONS=2' '-DNFAIR=3' '-a -f'
check 'violated valid' 'NO_BARRIER=1'
check 'violated valid' 'LOOK_FIRST=1'
check 'violated ((error' 'READY_FIRST=1'
check 'invalid end state' 'BOUND=false'
check 'violated alive' 'EPOCHS=0 REGIONS=2 CALLED=1 NO_CALLING=1'
