#!/bin/sh
# Installs the gateway as README.md describes into its own namespaces of the cluster of KUBECONFIG, scales, rolls and
# breaks it under load, upgrades it, prints the results, and removes everything. Needs kubectl, openssl, git, Node and
# npm, and Docker to build images.
#   deploy/kubernetes/verify.sh --load "kind load docker-image"
set -eu
cd "$(dirname "$0")/../.."
exec node scripts/bootstrap.mjs node deploy/verify/kubernetes/main.ts "$@"
