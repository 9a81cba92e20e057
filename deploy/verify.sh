#!/bin/sh
# Builds the images, brings the whole stack up beside whatever runs (its own project, ports, secrets and volumes), tries
# it, breaks it, prints what it saw, and takes everything down again. Needs Docker with compose, Node and npm.
set -eu
cd "$(dirname "$0")/.."
exec node scripts/bootstrap.mjs node deploy/verify/main.ts "$@"
