#!/bin/bash
# mpi_page.sh HEADER PAGE: each function of C that has a counterpart in MPI is named on the page for those who come from there.
set -eu
header=$1 page=$2

# The log, the hook of failures, source lines, timeouts, what was learnt, CPUs, waits with a limit, options of a call, threads that come to seats, sums with the same bits for every number of members, and what tells where members are.
without='^tutti_(set_log|set_failure_hook|at|.*_set_timeout|save_tuning|cpu|team_cpus|wait_for|with_options|shared_output|then|async_rank|join|task_run|reproducible_[a-z0-9]*|counts_on_all|async_group_.*|.*_(free|run|size|roll_call|trace))$'
missing=0
named=0
for function in $(grep -o '\btutti_[a-z_]*(' "$header" | tr -d '(' | sort -u); do
    if [[ $function =~ $without && ! $function =~ ^tutti_(op|request)_free$ ]]; then
        continue
    fi
    named=$((named + 1))
    # `tutti_gather(v)` names two.
    if ! grep -qE "[\`(]${function}[\`(]|\`${function%v}\(v\)\`" "$page"; then
        echo "not on the page: $function"
        missing=1
    fi
done
echo "$named functions"
[ "$named" -gt 20 ] && exit $missing
