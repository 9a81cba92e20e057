#!/bin/sh
# Starts a node, and makes it a member: of the cluster that is there, as a replica where one is missing, or of a new
# one that the first node makes when all nodes are alone. A pod keeps its data only as long as it lives: what
# Redis counts is of the last minutes.
set -eu
last=5

# The value of a line of CLUSTER INFO. Usage: info ADDRESS NAME
info() {
  timeout 2 redis-cli -h "$1" cluster info 2>/dev/null | tr -d '\r' | sed -n "s/^$2://p"
}

# Usage: address_of ORDINAL
address_of() {
  getent hosts "redis-cluster-$1.redis-cluster" | cut -d ' ' -f 1
}

become_member() {
  until [ "$(info 127.0.0.1 cluster_known_nodes)" -gt 1 ] 2>/dev/null; do
    sleep 1
    alone=""
    for ordinal in $(seq 0 "$last"); do
      address=$(address_of "$ordinal")
      case "$(info "$address" cluster_state)/$(info "$address" cluster_known_nodes)" in
        */1) alone="$alone $address:6379" ;;
        ok/*) redis-cli --cluster add-node "$POD_IP:6379" "$address:6379" --cluster-slave && return ;;
      esac
    done
    # shellcheck disable=SC2086
    if [ "$(hostname)" = redis-cluster-0 ] && [ "$(echo $alone | wc -w)" -eq "$((last + 1))" ]; then
      redis-cli --cluster create $alone --cluster-replicas 1 --cluster-yes || true
    fi
  done
}

# Of those that have failed and have no slots, only the ones at addresses that no pod has any more: the others come back.
forget_what_is_gone() {
  pods=""
  for ordinal in $(seq 0 "$last"); do pods="$pods $(address_of "$ordinal")"; done
  redis-cli cluster nodes | awk '$3 ~ /fail$/ && $9 == "" { print $1, $2 }' | while read -r id at; do
    case " $pods " in
      *" ${at%%:*} "*) ;;
      *) for pod in $pods; do timeout 2 redis-cli -h "$pod" cluster forget "$id" || true; done ;;
    esac
  done
}

{
  become_member
  # By now the others have noticed that the pod whose place this one has is gone.
  sleep 15
  forget_what_is_gone
} &
exec docker-entrypoint.sh redis-server /etc/redis-cluster/redis.conf --cluster-announce-ip "$POD_IP"
