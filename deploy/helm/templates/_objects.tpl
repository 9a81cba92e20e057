{{/*
Reads the objects from the base and components of deploy/kubernetes, and puts values into them. A test compares both
(scripts/kubernetes/helm.long.test.ts).
*/}}

{{/* Every object of a file. Prints one document each. Takes: root, file. */}}
{{- define "model-gateway.objects" -}}
{{- $root := .root -}}
{{- range $text := regexSplit "(?m)^---$" ($root.Files.Get .file) -1 }}
{{- $object := fromYaml $text }}
{{- if $object.kind }}
{{- include "model-gateway.fill" (dict "root" $root "object" $object) }}
---
{{ toYaml $object }}
{{- end }}
{{- end }}
{{- end -}}

{{/* Puts values into an object. Takes: root, object, which it changes. */}}
{{- define "model-gateway.fill" -}}
{{- $root := .root -}}
{{- $object := .object -}}
{{- $_ := set $object.metadata "labels" (merge (dict "app.kubernetes.io/managed-by" "Helm" "helm.sh/chart" (printf "%s-%s" $root.Chart.Name $root.Chart.Version)) (default dict $object.metadata.labels)) -}}
{{- $arguments := dict "root" $root "object" $object "service" (include "model-gateway.service" (dict "root" $root "name" $object.metadata.name) | fromYaml) -}}
{{- if eq $object.kind "Deployment" }}{{ include "model-gateway.fillDeployment" $arguments }}{{ end -}}
{{- if eq $object.kind "HorizontalPodAutoscaler" }}{{ include "model-gateway.fillAutoscaler" $arguments }}{{ end -}}
{{- if eq $object.kind "HTTPRoute" }}{{ include "model-gateway.fillRoute" $arguments }}{{ end -}}
{{- if eq $object.kind "Ingress" }}{{ include "model-gateway.fillIngress" $arguments }}{{ end -}}
{{- if eq $object.kind "Job" }}{{ include "model-gateway.fillJob" $arguments }}{{ end -}}
{{- end -}}

{{/* The values of the service that an object belongs to, as YAML; those of none are empty. Takes: root, name. */}}
{{- define "model-gateway.service" -}}
{{- $names := dict "data-plane" "dataPlane" "control-plane" "controlPlane" "catalog" "catalog" "dashboard" "dashboard" -}}
{{- get .root.Values (get $names .name | default "-") | default dict | toYaml -}}
{{- end -}}

{{- define "model-gateway.fillDeployment" -}}
{{- $root := .root -}}
{{- $service := .service -}}
{{- $name := .object.metadata.name -}}
{{- $template := .object.spec.template -}}
{{- $pod := $template.spec -}}
{{- if lt (int $service.maxReplicas) (int $service.minReplicas) }}
{{- fail (printf "%s: maxReplicas is %d, which is less than minReplicas, %d" $name (int $service.maxReplicas) (int $service.minReplicas)) }}
{{- end -}}
{{- /* The base leaves the number of replicas to the autoscaler. Here a release starts with minReplicas, and an upgrade
       keeps the running number. `helm template` sees no cluster, and leaves the number out. */ -}}
{{- if $root.Release.IsUpgrade }}
{{- with lookup "apps/v1" "Deployment" $root.Release.Namespace $name }}{{ $_ := set $.object.spec "replicas" .spec.replicas }}{{ end -}}
{{- else if lookup "v1" "Namespace" "" $root.Release.Namespace }}
{{- $_ := set .object.spec "replicas" $service.minReplicas -}}
{{- end -}}
{{- $_ := set $template "metadata" (dict "labels" (merge (deepCopy $template.metadata.labels) $service.podLabels) "annotations" (merge (dict "checksum/config" (toYaml $root.Values.config | sha256sum)) $service.podAnnotations)) -}}
{{- range $field := list "nodeSelector" "tolerations" "affinity" "serviceAccountName" }}
{{- with get $service $field }}{{ $_ := set $pod $field . }}{{ end -}}
{{- end -}}
{{- with $root.Values.image.pullSecrets }}
{{- $names := list }}{{ range . }}{{ $names = append $names (dict "name" .) }}{{ end -}}
{{- $_ := set $pod "imagePullSecrets" $names -}}
{{- end -}}
{{- range concat $pod.containers (default list $pod.initContainers) }}
{{- include "model-gateway.fillContainer" (dict "root" $root "container" .) -}}
{{- end -}}
{{- $main := first $pod.containers -}}
{{- with $service.resources }}{{ $_ := set $main "resources" . }}{{ end -}}
{{- range $variable := $main.env }}
{{- if and (eq $variable.name "EXPECTED_REPLICAS") }}{{ $_ := set $variable "value" (toString $service.minReplicas) }}{{ end -}}
{{- if eq $variable.name "DATABASE_CONNECTIONS" }}{{ $_ := set $variable "value" (toString $service.databaseConnections) }}{{ end -}}
{{- if eq $variable.name "MAX_CONTROL_PLANES" }}{{ $_ := set $variable "value" (toString (add 1 $service.maxReplicas)) }}{{ end -}}
{{- if eq $variable.name "DRAIN_TIMEOUT_MS" }}
{{- $rest := sub (int $pod.terminationGracePeriodSeconds) (div (int $variable.value) 1000) -}}
{{- $_ := set $pod "terminationGracePeriodSeconds" (add $rest $service.drainSeconds) -}}
{{- $_ := set $variable "value" (toString (mul 1000 $service.drainSeconds)) -}}
{{- end -}}
{{- end -}}
{{- with $root.Values.grpcTls }}{{ if .enabled }}
{{- range $operation := include "model-gateway.patches" (dict "root" $root "file" "components/grpc-tls/kustomization.yaml") | fromYamlArray }}
{{- include "model-gateway.patch" (dict "pod" $pod "main" $main "operation" $operation) -}}
{{- end -}}
{{- range $pod.volumes }}{{ if eq .name "grpc-tls" }}{{ $_ := set .secret "secretName" $root.Values.grpcTls.secret }}{{ end }}{{ end -}}
{{- end }}{{ end -}}
{{- $_ := set $main "env" (concat $main.env $service.env) -}}
{{- end -}}

{{/* The operations of the first patch of a component, as YAML. Takes: root, file. */}}
{{- define "model-gateway.patches" -}}
{{- (first (.root.Files.Get .file | fromYaml).patches).patch -}}
{{- end -}}

{{/* An operation of JSON Patch that adds to a pod or to its first container. Takes: pod, main, operation. */}}
{{- define "model-gateway.patch" -}}
{{- $path := .operation.path -}}
{{- if eq $path "/spec/template/spec/volumes" }}{{ $_ := set .pod "volumes" .operation.value -}}
{{- else if eq $path "/spec/template/spec/containers/0/volumeMounts" }}{{ $_ := set .main "volumeMounts" .operation.value -}}
{{- else if eq $path "/spec/template/spec/containers/0/env/-" }}{{ $_ := set .main "env" (append .main.env .operation.value) -}}
{{- else }}{{ fail (printf "the chart does not know how to patch %s" $path) }}
{{- end -}}
{{- end -}}

{{/* Takes: root, container, which it changes. */}}
{{- define "model-gateway.fillContainer" -}}
{{- $root := .root -}}
{{- $container := .container -}}
{{- $image := regexReplaceAll "^.*/([^:]+):.*$" $container.image "${1}" -}}
{{- $_ := set $container "image" (printf "%s/%s:%s" $root.Values.image.registry $image ($root.Values.image.tag | default $root.Chart.AppVersion)) -}}
{{- $secrets := dict "model-gateway" $root.Values.secrets.gateway "provider-credentials" $root.Values.secrets.providers "dashboard-secrets" $root.Values.secrets.dashboard -}}
{{- range $container.env }}
{{- with dig "valueFrom" "secretKeyRef" nil . }}{{ $_ := set . "name" (get $secrets .name) }}{{ end -}}
{{- end -}}
{{- range $container.envFrom }}
{{- with .secretRef }}{{ $_ := set . "name" (get $secrets .name) }}{{ end -}}
{{- end -}}
{{- end -}}

{{- define "model-gateway.fillAutoscaler" -}}
{{- $_ := set .object.spec "minReplicas" .service.minReplicas -}}
{{- $_ := set .object.spec "maxReplicas" .service.maxReplicas -}}
{{- $_ := set (first .object.spec.metrics).resource.target "averageUtilization" .service.cpuUtilization -}}
{{- end -}}

{{/* The host of the API or of the dashboard. Takes: root, object. */}}
{{- define "model-gateway.host" -}}
{{- $config := .root.Values.config -}}
{{- (urlParse (eq .object.metadata.name "dashboard" | ternary $config.publicUrl $config.apiBaseUrl)).host -}}
{{- end -}}

{{- define "model-gateway.fillRoute" -}}
{{- $gateway := .root.Values.gatewayApi -}}
{{- $parent := dict "name" $gateway.gateway -}}
{{- with $gateway.namespace }}{{ $_ := set $parent "namespace" . }}{{ end -}}
{{- $_ := set .object.spec "parentRefs" (list $parent) -}}
{{- $_ := set .object.spec "hostnames" (list (include "model-gateway.host" .)) -}}
{{- end -}}

{{- define "model-gateway.fillIngress" -}}
{{- $root := .root -}}
{{- $spec := .object.spec -}}
{{- $hosts := list -}}
{{- range $rule := $spec.rules }}
{{- $service := (first $rule.http.paths).backend.service.name -}}
{{- $host := include "model-gateway.host" (dict "root" $root "object" (dict "metadata" (dict "name" $service))) -}}
{{- $_ := set $rule "host" $host -}}
{{- $hosts = append $hosts $host -}}
{{- end -}}
{{- $_ := set $spec "ingressClassName" $root.Values.ingress.className -}}
{{- $_ := set $spec "tls" (list (dict "hosts" $hosts "secretName" $root.Values.ingress.tlsSecret)) -}}
{{- end -}}

{{/* A hook, because a Job cannot be changed and must run after the release. */}}
{{- define "model-gateway.fillJob" -}}
{{- $root := .root -}}
{{- range .object.spec.template.spec.containers }}
{{- include "model-gateway.fillContainer" (dict "root" $root "container" .) -}}
{{- end -}}
{{- $_ := set .object.metadata "annotations" (dict "helm.sh/hook" "post-install,post-upgrade" "helm.sh/hook-delete-policy" "before-hook-creation") -}}
{{- end -}}
