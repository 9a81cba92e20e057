#!/bin/sh
# Builds the images and starts the whole stack beside whatever runs, with its own project, ports, secrets and
# volumes. Then it tries the stack, breaks it, prints what it saw, and removes everything again. Needs Docker
# with compose, Node and npm.
set -eu
cd "$(dirname "$0")/.."
exec node scripts/bootstrap.mjs node deploy/verify/main.ts "$@"
