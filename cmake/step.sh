# Sourced by the scripts of the main jobs.

# step WHAT LOG COMMAND...: prints a line with the name and the time of the step. The output of the command
# goes to LOG, whose end is shown when it fails.
step() {
    what=$1 log=$2
    shift 2
    mkdir -p "$(dirname "$log")"
    printf '%s ... ' "$what"
    begun=$(date +%s)
    code=0
    "$@" >"$log" 2>&1 || code=$?
    if [ "$code" -eq 0 ]; then
        echo "$(($(date +%s) - begun)) s"
    else
        echo "failed; the end of $log:"
        tail -n 100 "$log" >&2
    fi
    return "$code"
}
