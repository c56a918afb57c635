#!/bin/sh
# Installs the system packages named, where that can be done without asking anybody: by root, where there is apt.
# Exits with 1 where it cannot. Two of these at once wait for each other.
set -eu
[ "$(id -u)" = 0 ] && command -v apt-get >/dev/null || exit 1
export DEBIAN_FRONTEND=noninteractive
if command -v flock >/dev/null && [ -z "${TERCET_APT_LOCKED:-}" ]; then
    TERCET_APT_LOCKED=1 exec flock /var/lock/tercet-apt "$0" "$@"
fi
log=$(mktemp)
trap 'rm -f "$log"' EXIT
{ apt-get update -qq && apt-get install -y -qq --no-install-recommends "$@"; } >"$log" 2>&1 && exit 0
tail -n 3 "$log" >&2
exit 1
