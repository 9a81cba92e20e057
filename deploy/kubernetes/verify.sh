#!/bin/sh
# Installs the gateway into the cluster that KUBECONFIG names, in namespaces of its own, as README.md says. Then it
# tries it, scales, rolls and breaks it under load, goes from the previous release to this one, prints what it saw, and
# takes everything down again. Needs kubectl, openssl, git, Node and npm; to build the images, Docker.
#   deploy/kubernetes/verify.sh --load "kind load docker-image"
set -eu
cd "$(dirname "$0")/../.."
exec node scripts/bootstrap.mjs node deploy/verify/kubernetes/main.ts "$@"
