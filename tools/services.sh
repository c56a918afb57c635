#!/bin/sh
# Sees to PostgreSQL and Redis for the tests of several server processes, and to what makes disks, clocks and lines fail
# in them (gcc, ip): the system's, or installed by it (as root).
# Never fails: without them those tests are skipped and say so, or fail where all are required.
missing=""
command -v postgres >/dev/null || ls /usr/lib/postgresql/*/bin/postgres >/dev/null 2>&1 || missing="postgresql"
command -v redis-server >/dev/null || missing="$missing redis-server"
command -v gcc >/dev/null || missing="$missing gcc libc6-dev"
command -v ip >/dev/null || missing="$missing iproute2"
[ -n "$missing" ] || exit 0
echo "Missing for the tests of several server processes: $missing; installing ..."
if [ "$(id -u)" = 0 ] && [ ! -e /etc/postgresql-common/createcluster.conf ] && command -v apt-get >/dev/null; then
    # Only the programs: no cluster is made, and nothing is started.
    mkdir -p /etc/postgresql-common
    echo "create_main_cluster = false" >/etc/postgresql-common/createcluster.conf
fi
# shellcheck disable=SC2086  # a list of packages
"$(dirname "$0")/apt.sh" $missing && exit 0
echo "NOT INSTALLED: $missing (only root can, with apt). The tests that need it will not run; install it with your"
echo "system's package manager: Debian and Ubuntu call the packages so."
exit 0
