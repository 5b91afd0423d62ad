#!/bin/sh
# The main job, from a fresh clone to a table in four minutes: installs what is missing, builds a small benchmark for this CPU, and
# measures allreduce, reduce_scatter and allgather among as many members as there are CPUs, and among twice as many, beside Open MPI,
# OpenMP and a plain barrier. Results are in build/quick/bench.json.
#
#   bench/run.sh                            the above
#   bench/run.sh full                       the matrix: 2, 4 and 8 members, 8 bytes to 64 MiB, beside all baselines, with a report in
#                                           build/release/bench.html; half an hour
#   bench/run.sh -t 2 -e 1M allreduce       what these options of `tutti bench` say, with a report
set -eu
begun_at=$(date +%s)

cd "$(dirname "$0")/.."
. cmake/step.sh
# Beside other programs, more jobs than CPUs get a larger part of the CPUs.
jobs=$((2 * $(nproc)))

if [ $# -eq 0 ]; then
    build=build/quick
    case $(grep -m 1 '^flags' /proc/cpuinfo) in
    *avx512vl*) isa=avx512 ;;
    *avx2*) isa=avx2 ;;
    *) isa=generic ;;
    esac
    step "installing what is missing" "$build/setup.log" cmake/setup.sh quick
    step "configuring $build" "$build/configure.log" cmake -G Ninja -S . -B "$build" -DCMAKE_BUILD_TYPE=Release -DTUTTI_TYPES=f64 \
        -DTUTTI_ISA_ONLY=$isa -DTUTTI_BUILD_TESTS=OFF -DTUTTI_BUILD_COMMAND=QUICK -DTUTTI_BUILD_FORTRAN=OFF -DTUTTI_BUILD_MPI=OFF || exit 4
    step "building the library" "$build/library.log" cmake --build "$build" -j "$jobs" --target tutti_first_result
    echo "first result, a heat equation, beside the same with std::barrier:"
    "$build/bench/tutti_first_result" 128
    step "building the benchmark" "$build/build.log" cmake --build "$build" -j "$jobs" --target tutti_quick
    echo
    # At least 40 s, on any machine; 10 s are left for calls that have begun when the time is over.
    seconds=$((230 - $(date +%s) + begun_at))
    [ "$seconds" -ge 40 ] || seconds=40
    [ "$seconds" -le 110 ] || seconds=110
    exec "$build/bench/tutti_quick_bench" "$seconds" "$build/bench.json"
fi

build=build/release
step "installing what is missing" "$build/setup.log" cmake/setup.sh build bench
step "configuring $build" "$build/configure.log" cmake -G Ninja -S . -B "$build" -DCMAKE_BUILD_TYPE=Release \
    -DTUTTI_BUILD_TESTS=OFF -DTUTTI_BUILD_COMMAND=ON || exit 4
step "building the command and what it compares with, a few minutes" "$build/build.log" cmake --build "$build" -j "$jobs" \
    --target tutti_command tutti_baselines
echo

tutti="$build/bench/tutti"
"$tutti" info
echo
if [ "$*" = full ]; then
    set -- -t 2,4,8 -b 8 -e 64M -f 2 --seconds 0.2 --baseline all allreduce reduce_scatter allgather
else
    set -- --baseline openmpi "$@"
fi
"$tutti" bench --json "$build/bench.json" "$@"
"$tutti" measure -q --seconds 10 -o "$build/lines.json" >"$build/lines.log" 2>&1 || rm -f "$build/lines.json"
echo
set -- "$build/bench.json"
[ ! -e "$build/lines.json" ] || set -- "$@" "$build/lines.json"
"$tutti" report "$@" -o "$build/bench.html"
