#!/bin/sh
# Starts Postgres as primary or standby. If the other pod is the primary, this one copies its data and follows it.
# Only postgres-0 creates a new database, and only if the other pod runs and has none.
set -eu
. /etc/postgres-standby/other.sh
# Seconds without another primary before this pod becomes it.
wait_limit=5
waited=0
trap 'exit 1' INT TERM

has_data() {
  [ -s "$PGDATA/PG_VERSION" ]
}

is_standby() {
  [ -e "$PGDATA/standby.signal" ]
}

may_be_primary() {
  has_data || { [ "$found" = none ] && [ "$other" = postgres-1 ]; }
}

# Each promotion starts a new timeline. Data of the same or a newer one is never discarded.
may_follow() {
  timeline="SELECT ('x' || substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8))::bit(32)::int"
  ! has_data || [ "$(ask "$other.postgres-peers" "$timeline")" -gt \
    "$(pg_controldata "$PGDATA" | sed -n "s/^Latest checkpoint's TimeLineID: *//p")" ]
}

follow() {
  echo "following $other"
  rm -rf "$PGDATA.new"
  pg_basebackup --host "$other.postgres-peers" --username postgres --pgdata "$PGDATA.new" \
    --write-recovery-conf --checkpoint fast
  rm -rf "$PGDATA"
  mv "$PGDATA.new" "$PGDATA"
}

# Lets every commit wait for this standby once it has caught up. A promotion removes the file and ends this.
wait_for_standby() {
  streaming="SELECT count(*) FROM pg_stat_replication WHERE state = 'streaming'"
  while is_standby; do
    sleep 1
    [ "$(ask "$other.postgres-peers" "$streaming")" = 1 ] || continue
    ask "$other.postgres-peers" "ALTER SYSTEM SET synchronous_standby_names = '*'"
    ask "$other.postgres-peers" 'SELECT pg_reload_conf()'
    break
  done
}

until is_standby || [ "$waited" -ge "$wait_limit" ]; do
  found=$(other_is)
  if [ "$found" = primary ]; then
    if may_follow; then
      follow
    else
      echo "two primaries: the data here is not older than that of $other, and stays."
      echo "Find out which data is right, and delete the volume and the pod of the other."
      sleep 10
    fi
  elif may_be_primary; then
    waited=$((waited + 1))
    sleep 1
  else
    echo "no data here; $other is: $found. This one starts when $other is the primary."
    waited=0
    sleep 2
  fi
done
if is_standby; then wait_for_standby & fi
exec docker-entrypoint.sh postgres -c wal_keep_size=1GB
