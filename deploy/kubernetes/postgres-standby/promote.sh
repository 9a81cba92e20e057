#!/bin/sh
# Promotes this standby. The Service `postgres` follows within two seconds.
set -eu
. /etc/postgres-standby/other.sh
here=/var/run/postgresql
if [ "$(ask "$here" 'SELECT pg_is_in_recovery()')" = f ]; then
  echo "$(hostname) is the primary already"
  exit 0
fi
if [ "$(other_is)" = primary ]; then
  echo "$other is the primary still: delete its pod first" >&2
  exit 1
fi
ask "$here" 'SELECT pg_promote()' >/dev/null
# Commits do not wait until there is a standby again.
ask "$here" "ALTER SYSTEM SET synchronous_standby_names = ''" >/dev/null
ask "$here" 'SELECT pg_reload_conf()' >/dev/null
echo "$(hostname) is the primary"
