#!/bin/sh
# Starts a node and lets it join the cluster, as a replica of a master that lacks one. The first node creates the
# cluster if all nodes are alone. Data lives as long as the pod: it is about the last minutes.
set -eu
last=5

# Prints a value of CLUSTER INFO. Usage: info ADDRESS NAME
info() {
  timeout 2 redis-cli -h "$1" cluster info 2>/dev/null | tr -d '\r' | sed -n "s/^$2://p"
}

# Prints the addresses of all pods.
pods() {
  for ordinal in $(seq 0 "$last"); do getent hosts "redis-cluster-$ordinal.redis-cluster" | cut -d ' ' -f 1; done
}

knows_others() {
  [ "$(info "$1" cluster_known_nodes)" -gt 1 ] 2>/dev/null
}

has_a_part() {
  redis-cli cluster nodes | awk '/myself/ && ($9 != "" || $3 ~ /slave/) { found = 1 } END { exit !found }'
}

# Prints the first master without a replica.
alone_with_its_slots() {
  redis-cli cluster nodes | awk '
    $3 ~ /fail/ { next }
    $3 ~ /slave/ { replicas[$4]++ }
    $3 ~ /master/ && $9 != "" { masters[$1] }
    END { for (id in masters) if (!replicas[id]) { print id; exit } }'
}

become_member() {
  until has_a_part; do
    sleep 1
    if knows_others 127.0.0.1; then
      master=$(alone_with_its_slots)
      [ -z "$master" ] || redis-cli cluster replicate "$master" || true
      continue
    fi
    empty=""
    for address in $(pods); do
      case "$(info "$address" cluster_known_nodes)/$(info "$address" cluster_state)" in
        1/*) empty="$empty $address:6379" ;;
        */ok) redis-cli cluster meet "$address" 6379 && break ;;
      esac
    done
    # shellcheck disable=SC2086
    if [ "$(hostname)" = redis-cluster-0 ] && [ "$(echo $empty | wc -w)" -eq "$((last + 1))" ]; then
      redis-cli --cluster create $empty --cluster-replicas 1 --cluster-yes || true
    fi
  done
}

# Introduces the nodes again if all addresses have changed at once, as after a power cut.
find_the_others() {
  until [ "$(info 127.0.0.1 cluster_state)" = ok ]; do
    sleep 3
    for address in $(pods); do
      ! knows_others "$address" || redis-cli cluster meet "$address" 6379 || true
    done
  done
}

# Forgets failed nodes without slots whose address no pod has; the others return.
forget_what_is_gone() {
  redis-cli cluster nodes | awk '$3 ~ /fail$/ && $9 == "" { print $1, $2 }' | while read -r id at; do
    if ! pods | grep -qx "${at%%:*}"; then
      for address in $(pods); do timeout 2 redis-cli -h "$address" cluster forget "$id" || true; done
    fi
  done
}

{
  become_member
  find_the_others
  # By now the others know that this pod's predecessor is gone.
  sleep 15
  forget_what_is_gone
} &
exec docker-entrypoint.sh redis-server /etc/redis-cluster/redis.conf --cluster-announce-ip "$POD_IP"
