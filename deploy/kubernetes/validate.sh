#!/usr/bin/env bash
# Renders everything with kustomize, and checks it strictly against the schemas of Kubernetes. `npm test` checks the
# files as written. Needs kubectl, and python3 with venv.
#   deploy/kubernetes/validate.sh [KUBERNETES_VERSION]
set -euo pipefail
cd "$(dirname "$0")"
version=${1:-1.33}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install --quiet --disable-pip-version-check kubernetes-validate==1.37.0

# Adds all components to the example. Those that exclude each other differ only in names.
mkdir "$work/all"
cp -r base components example "$work/all"
cp -r ../monitoring "$work"
sed -i 's/^  # - \(\.\.\/components\/[a-z-]*\).*/  - \1/' "$work/all/example/kustomization.yaml"
kubectl kustomize "$work/all/example" >"$work/all.yaml"
kubectl kustomize example >"$work/example.yaml"
for folder in catalog postgres-standby redis-cluster; do kubectl kustomize "$folder" >"$work/$folder.yaml"; done

for rendered in example all catalog postgres-standby redis-cluster; do
  echo "== $rendered: $(grep -c '^kind:' "$work/$rendered.yaml") objects, Kubernetes $version"
  # kubernetes-validate has no schema for kinds of other projects; `npm test` checks them.
  awk -v RS='---\n' '!/apiVersion: (gateway\.networking\.k8s\.io|monitoring\.coreos\.com)/ { printf "---\n%s", $0 }' \
    "$work/$rendered.yaml" >"$work/known.yaml"
  "$work/venv/bin/kubernetes-validate" --strict --kubernetes-version "$version" "$work/known.yaml"
done
