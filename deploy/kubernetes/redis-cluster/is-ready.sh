#!/bin/sh
# Ready: a member of a working cluster; a replica only if it is in sync.
set -eu
redis-cli cluster info | grep -q cluster_state:ok
[ "$(redis-cli cluster info | tr -d '\r' | sed -n 's/^cluster_known_nodes://p')" -gt 1 ]
redis-cli info replication | grep -qE 'role:master|master_link_status:up'
