#!/bin/sh
# Replaces the data planes one by one, by containers of the image and the settings of now, without losing a request:
#   deploy/roll.sh          (docker compose build data-plane first, for a new version)
# Each new one must be healthy before an old one gets SIGTERM and drains. COMPOSE names the command, if it is not
# `docker compose`.
set -eu
cd "$(dirname "$0")/.."
compose=${COMPOSE:-docker compose}
old=$($compose ps --quiet data-plane)
replicas=$(echo "$old" | grep -c .)
for container in $old; do
  $compose up --detach --wait --no-deps --no-recreate --scale data-plane=$((replicas + 1)) data-plane
  docker stop "$container" > /dev/null # waits for its stop_grace_period
  docker rm "$container" > /dev/null
  echo "replaced $(echo "$container" | cut -c 1-12)"
done
