# Sourced by the scripts of the main jobs.

# step WHAT LOG COMMAND...: says in a line what is being done and how long it took. What the command prints goes to LOG, of
# which the end is shown when it fails.
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
