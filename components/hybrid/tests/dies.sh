#!/bin/sh
# dies.sh COMMAND...: the job must fail, by itself and soon, rather than hang.
status=0
timeout 600 "$@" || status=$?
case $status in
0) echo "the job should have failed" && exit 1 ;;
124) echo "the job hung" && exit 1 ;;
*) echo "the job ended with exit code $status" ;;
esac
