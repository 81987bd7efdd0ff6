{{/* What repairs nodes: templates for node-operation-controller. */}}

{{/* The namespace of its Jobs. */}}
{{- define "berth.repair.namespace" -}}
{{- .Values.repair.namespace | default (printf "%s-repair" (include "berth.fullname" .)) -}}
{{- end -}}

{{/*
The pod that runs `command` on the node, in the node's own namespaces, as JSON. Kubernetes puts the names in.
(root, command)
*/}}
{{- define "berth.repair.pod" -}}
{{- $container := dict "name" "repair"
  "image" (include "berth.image" (dict "image" .root.Values.repair.image "tag" ""))
  "imagePullPolicy" .root.Values.repair.image.pullPolicy
  "command" (concat (list "nsenter" "-t" "1" "-m" "-u" "-i" "-n" "--") .command)
  "securityContext" (dict "privileged" true "runAsUser" 0) -}}
{{- $spec := dict "nodeName" "$(NODE_NAME)" "hostPID" true "restartPolicy" "Never" "automountServiceAccountToken" false
  "enableServiceLinks" false "terminationGracePeriodSeconds" 5 "tolerations" (list (dict "operator" "Exists"))
  "containers" (list $container) -}}
{{- with .root.Values.imagePullSecrets -}}{{- $_ := set $spec "imagePullSecrets" . -}}{{- end -}}
{{- $owner := dict "apiVersion" "v1" "kind" "Pod" "name" "$(POD_NAME)" "uid" "$(POD_UID)" -}}
{{- dict "apiVersion" "v1" "metadata" (dict "ownerReferences" (list $owner)) "spec" $spec | toJson -}}
{{- end -}}

{{- define "berth.check.repair" -}}
{{- $repair := dig "controller" "repair" dict .Values.config -}}
{{- if and (.Values.repair).enabled (hasKey $repair "enabled") (not $repair.enabled) }}
repair.enabled is true, but config.controller.repair.enabled is false, so no node would have the label that the templates select; leave out the latter
{{- end }}
{{- end -}}
