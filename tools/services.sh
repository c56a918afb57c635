#!/bin/sh
# Sees to PostgreSQL and Redis for the tests of several server processes: the system's, or installed by it (as root).
# Never fails: without them those tests are skipped and say so.
postgres=$(command -v postgres || ls /usr/lib/postgresql/*/bin/postgres 2>/dev/null | tail -n 1)
[ -n "$postgres" ] && command -v redis-server >/dev/null && exit 0
echo "PostgreSQL or Redis missing; installing them for the tests ..."
if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
    export DEBIAN_FRONTEND=noninteractive
    # Only the programs: no cluster is made, and nothing is started.
    mkdir -p /etc/postgresql-common
    [ -e /etc/postgresql-common/createcluster.conf ] ||
        echo "create_main_cluster = false" >/etc/postgresql-common/createcluster.conf
    { apt-get update -qq && apt-get install -y -qq --no-install-recommends postgresql redis-server; } >/dev/null 2>&1 &&
        exit 0
fi
echo "NO POSTGRESQL OR REDIS: they could be neither found nor installed. The tests that need them will be skipped."
exit 0
