#!/bin/sh
# Replaces the data planes one by one with the current image and settings, without losing a request:
#   deploy/roll.sh [REPLICAS]     default: as many as run
# Waits until a new one is healthy before it stops an old one, which drains. COMPOSE replaces `docker compose`.
set -eu
cd "$(dirname "$0")/.."
compose=${COMPOSE:-docker compose}
old=$($compose ps --quiet data-plane)
running=$(echo "$old" | grep -c . || true)
wanted=${1:-$running}
replaced=0

scale() { $compose up --detach --wait --no-recreate --scale data-plane="$1" data-plane; }

for container in $old; do
  if [ "$replaced" -lt "$wanted" ]; then
    scale $((running + 1))
    replaced=$((replaced + 1))
  else
    running=$((running - 1))
  fi
  docker stop "$container" > /dev/null # waits for its stop_grace_period
  docker rm "$container" > /dev/null
  echo "$(echo "$container" | cut -c 1-12) has ended"
done
[ "$replaced" -eq "$wanted" ] || scale "$wanted"
