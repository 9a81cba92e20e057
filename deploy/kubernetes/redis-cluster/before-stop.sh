#!/bin/sh
# Lets the replica of a master take over its slots, so that no request waits for the cluster to notice.
set -eu
is_master() {
  redis-cli info replication | grep -q role:master
}
is_master || exit 0
replica=$(redis-cli cluster nodes | awk -v master="$(redis-cli cluster myid)" \
  '$4 == master && $3 !~ /fail/ && $8 == "connected" { print $2; exit }')
[ -n "$replica" ] || exit 0
redis-cli -h "${replica%%:*}" cluster failover
for _ in $(seq 50); do
  is_master || exit 0
  sleep 0.1
done
