#!/bin/sh
# two_networks.sh KIND MPIRUN PROGRAM ARGUMENTS...: runs two processes that see each other over TCP only: in two
# network namespaces with a virtual cable between them, with host names of their own. Exit code 77 where that is
# not permitted.
set -eu
if [ "${1:-}" = agent ]; then # what mpirun calls instead of ssh: agent HOST COMMAND...
    shift
    while [ "${1#-}" != "$1" ]; do shift; done # options of ssh
    shift
    # mpirun quotes the command for a remote shell.
    exec nsenter --net="$TUTTI_NETWORK" --uts="$TUTTI_NAMES" sh -c "$*"
fi
kind=$1 mpirun=$2
shift 2
[ "$(id -u)" -eq 0 ] && command -v ip nsenter unshare >/dev/null || { echo "skipped: needs root, ip and unshare"; exit 77; }
here=$(mktemp -d)
touch "$here/first" "$here/second" "$here/names"
trap 'umount "$here/first" "$here/second" "$here/names" 2>/dev/null || true; rm -rf "$here"' EXIT
unshare --net="$here/second" --uts="$here/names" sh -c 'hostname tutti-second && ip link set lo up' 2>/dev/null &&
    unshare --net="$here/first" ip link set lo up 2>/dev/null || { echo "skipped: no namespaces permitted"; exit 77; }
nsenter --net="$here/first" ip link add cable type veth peer name cable netns "$here/second" 2>/dev/null ||
    { echo "skipped: no virtual network permitted"; exit 77; }
nsenter --net="$here/first" sh -c 'ip addr add 10.77.0.1/24 dev cable && ip link set cable up'
nsenter --net="$here/second" sh -c 'ip addr add 10.77.0.2/24 dev cable && ip link set cable up'
for side in first second; do # the kernel declares a cable up as much as a second late, and MPI skips a network until then
    timeout 5 sh -c 'until nsenter --net="$0" ip link show cable | grep -q "state UP"; do sleep 0.05; done' "$here/$side" ||
        { echo "the cable is not up in the $side network"; exit 1; }
done
export TUTTI_NETWORK="$here/second" TUTTI_NAMES="$here/names"
printf '#!/bin/sh\nexec %s agent "$@"\n' "$(realpath "$0")" >"$here/agent"
chmod +x "$here/agent"
case $kind in
openmpi)
    set -- "$mpirun" --allow-run-as-root --oversubscribe --bind-to none --mca plm_rsh_agent "$here/agent" \
        --mca btl tcp,self --mca btl_tcp_if_include cable --mca oob_tcp_if_include cable \
        --mca mpi_yield_when_idle 1 -n 2 --host 10.77.0.1:1,10.77.0.2:1 "$@"
    ;;
mpich)
    set -- "$mpirun" -bind-to none -launcher ssh -launcher-exec "$here/agent" -iface cable -n 2 -ppn 1 \
        -hosts 10.77.0.1,10.77.0.2 "$@"
    ;;
esac
nsenter --net="$here/first" unshare --uts sh -c 'hostname tutti-first && exec "$@"' run "$@"
