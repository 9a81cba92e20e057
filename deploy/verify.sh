#!/bin/sh
# Builds and starts a second stack with its own project, ports, secrets and volumes, tests and breaks it, prints the
# results, and removes it. Needs Docker with compose, Node and npm.
set -eu
cd "$(dirname "$0")/.."
exec node scripts/bootstrap.mjs node deploy/verify/main.ts "$@"
