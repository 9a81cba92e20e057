#!/bin/sh
# Starts Postgres as what it has to be. What was a primary looks first whether the other one has taken its place
# meanwhile: then it follows it with a new copy of its data. Without data it follows, too. A new database is made by
# the first one alone, and only when the other one is there and has none.
set -eu
. /etc/postgres-standby/other.sh
# In seconds: so long the other one must have been no primary before this one is it.
patience=5
waited=0
trap 'exit 1' INT TERM

has_data() {
  [ -s "$PGDATA/PG_VERSION" ]
}

may_be_primary() {
  has_data || { [ "$found" = none ] && [ "$other" = postgres-1 ]; }
}

follow() {
  echo "following $other"
  rm -rf "$PGDATA.new"
  pg_basebackup --host "$other.postgres-peers" --username postgres --pgdata "$PGDATA.new" \
    --write-recovery-conf --checkpoint fast
  rm -rf "$PGDATA"
  mv "$PGDATA.new" "$PGDATA"
  wait_for_standby &
}

# From when this one has caught up, every commit waits for it.
wait_for_standby() {
  streaming="SELECT count(*) FROM pg_stat_replication WHERE state = 'streaming'"
  until [ "$(ask "$other.postgres-peers" "$streaming")" = 1 ]; do sleep 1; done
  ask "$other.postgres-peers" "ALTER SYSTEM SET synchronous_standby_names = '*'"
  ask "$other.postgres-peers" 'SELECT pg_reload_conf()'
}

until [ -e "$PGDATA/standby.signal" ] || [ "$waited" -ge "$patience" ]; do
  found=$(other_is)
  if [ "$found" = primary ]; then
    follow
  elif may_be_primary; then
    waited=$((waited + 1))
    sleep 1
  else
    echo "no data here; $other is: $found. This one starts when $other is the primary."
    waited=0
    sleep 2
  fi
done
exec docker-entrypoint.sh postgres -c wal_keep_size=1GB
