#!/bin/sh
# The main job, from a fresh clone to a table: installs what is missing, builds, shows the machine, then measures
# allreduce, reduce_scatter and allgather among 2, 4 and 8 members, 8 bytes to 64 MiB, beside Open MPI, and makes a report.
#
#   bench/run.sh                            everything, in a few minutes; results in build/release/bench.json,
#                                           the report in build/release/bench.html
#   bench/run.sh -t 2 -e 1M allreduce       measure what these options of `tutti bench` say
set -eu

cd "$(dirname "$0")/.."
. cmake/step.sh

build=build/release
step "installing what is missing" "$build/setup.log" cmake/setup.sh build bench
step "configuring $build" "$build/configure.log" cmake -G Ninja -S . -B "$build" -DCMAKE_BUILD_TYPE=Release \
    -DTUTTI_BUILD_TESTS=OFF -DTUTTI_BUILD_COMMAND=ON || exit 4
step "building the command and what it compares with, a few minutes" "$build/build.log" cmake --build "$build" --target tutti_command tutti_baselines
echo

tutti="$build/bench/tutti"
"$tutti" info
echo
if [ $# -eq 0 ]; then
    set -- -t 2,4,8 -b 8 -e 64M -f 2 --seconds 0.2 allreduce reduce_scatter allgather
fi
"$tutti" bench --baseline openmpi --json "$build/bench.json" "$@"
"$tutti" measure -q --seconds 10 -o "$build/lines.json" >"$build/lines.log" 2>&1 || rm -f "$build/lines.json"
echo
set -- "$build/bench.json"
[ ! -e "$build/lines.json" ] || set -- "$@" "$build/lines.json"
"$tutti" report "$@" -o "$build/bench.html"
