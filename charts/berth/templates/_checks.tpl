{{/*
Values that contradict each other. Each check writes a line for each contradiction, which says what to
write instead, or nothing; checks.yaml fails with all of them.
*/}}

{{/* Says "yes" if the value `config` says something at a path. (root, path) */}}
{{- define "berth.config.says" -}}
{{- $at := .root.Values.config -}}
{{- range splitList "." .path -}}
{{- if kindIs "map" $at -}}{{- $at = get $at . -}}{{- else -}}{{- $at = "" -}}{{- end -}}
{{- end -}}
{{- if not (or (kindIs "invalid" $at) (eq (toString $at) "")) -}}yes{{- end -}}
{{- end -}}

{{- define "berth.check.names" -}}
{{- if gt (len (include "berth.fullname" .)) 53 }}
the release name {{ .Release.Name | quote }} is too long for the names of Services; write one of at most 47 characters
{{- end }}
{{- range $values := list "commonLabels" "podLabels" }}
{{- range $label, $_ := get $.Values $values }}
{{- if hasPrefix "app.kubernetes.io/" $label }}
{{ $values }} has {{ $label }}, which the chart's selectors use; leave it out
{{- end }}
{{- end }}
{{- end }}
{{- end -}}

{{/* Fails if a block that is enabled lacks its other values. The other checks come later than the templates
that use them. (root, block) */}}
{{- define "berth.check.block" -}}
{{- if not (get .root.Values .block).resources -}}
{{- fail (printf "invalid values:\n- %s.enabled is true, but the other values of %s are missing, as with --reuse-values and a chart that did not know them; upgrade with --reset-then-reuse-values" .block .block) -}}
{{- end -}}
{{- end -}}

{{- define "berth.check.scheduling" -}}
{{- $enabled := .Values.extender.enabled }}
{{- if and (kindIs "bool" $enabled) (not $enabled) }}
extender.enabled is false, but every kube-scheduler that uses Berth calls the extender; leave it out
{{- end }}
{{- if .Values.scheduler.enabled }}
{{- $shortlist := dig "extender" "shortlist" dict .Values.config }}
{{- if and .Values.scheduler.defaultSpreading (hasKey $shortlist "defaultSpreading") (not $shortlist.defaultSpreading) }}
config.extender.shortlist.defaultSpreading is false, but scheduler.defaultSpreading is true; leave out the former
{{- end }}
{{- end }}
{{- end -}}

{{- define "berth.check.schedulerName" -}}
{{- $configured := dig "admission" "policies" "schedulerName" "name" "" .Values.config }}
{{- if .Values.scheduler.enabled }}
{{- if eq .Values.scheduler.name "default-scheduler" }}
scheduler.name is default-scheduler, which the cluster already has; write another name, such as berth
{{- end }}
{{- if not (has $configured (list "" .Values.scheduler.name)) }}
config.admission.policies.schedulerName.name is {{ $configured | quote }}, but the chart's own scheduler is {{ .Values.scheduler.name | quote }}; leave it out, or set scheduler.name
{{- end }}
{{- end }}
{{- end -}}

{{/* What the chart's Services, probes and volumes rest on. */}}
{{- define "berth.check.config" -}}
{{- range list "apiVersion" "kind" "kubernetes" "extender.listen" "extender.tls" "extender.insecureLoopback" "admission.listen" "admission.tls" "admission.insecureLoopback" "controller.lease" "controller.owner" "controller.ownedLeases" "controller.certificates.authority.secret" "controller.certificates.servers" "controller.certificates.clients" "controller.certificates.webhooks" "metrics.listen" "probes.listen" "grpc.tls" }}
{{- if include "berth.config.says" (dict "root" $ "path" .) }}
config.{{ . }} is set by the chart; leave it out
{{- end }}
{{- end }}
{{- if and (ne .Values.certificates.source "controller") (include "berth.config.says" (dict "root" . "path" "controller.certificates")) }}
config.controller.certificates is for certificates.source=controller, not {{ .Values.certificates.source }}; leave it out
{{- end }}
{{- end -}}

{{- define "berth.check.certificates" -}}
{{- $source := .Values.certificates.source }}
{{- if and (ne $source "cert-manager") .Values.certificates.certManager.issuerRef.name }}
certificates.certManager.issuerRef.name is set, but certificates.source is {{ $source }}; set certificates.source=cert-manager, or leave the issuer out
{{- end }}
{{- if and (eq $source "cert-manager") (not .Values.certificates.certManager.issuerRef.name) }}
certificates.source is cert-manager, which needs an issuer; set certificates.certManager.issuerRef.name
{{- end }}
{{- $needed := list "extenderSecret" }}
{{- if .Values.scheduler.enabled }}{{ $needed = append $needed "schedulerSecret" }}{{ end }}
{{- if .Values.admission.enabled }}{{ $needed = concat $needed (list "admissionSecret" "caBundle") }}{{ end }}
{{- range $field := concat $needed (keys .Values.certificates.files) | uniq | sortAlpha }}
{{- $value := get $.Values.certificates.files $field }}
{{- if and (ne $source "files") $value }}
certificates.files.{{ $field }} is set, but certificates.source is {{ $source }}; set certificates.source=files, or leave it out
{{- else if and (eq $source "files") (has $field $needed) (not $value) }}
certificates.source is files, which needs certificates.files.{{ $field }}
{{- end }}
{{- end }}
{{- with .Values.certificates.files.caBundle }}
{{- if contains "PRIVATE KEY" . }}
certificates.files.caBundle contains a private key; give only the authority's certificates (--set-file certificates.files.caBundle=ca.crt)
{{- else if not (contains "BEGIN CERTIFICATE" .) }}
certificates.files.caBundle is not PEM; give the authority's certificates (--set-file certificates.files.caBundle=ca.crt)
{{- end }}
{{- end }}
{{- end -}}

{{/* How many of the pods a PodDisruptionBudget counts: a number, or a percentage rounded up. (of, replicas) */}}
{{- define "berth.pdb.count" -}}
{{- if kindIs "string" .of -}}
{{- div (add (mul (trimSuffix "%" .of | int) (int .replicas)) 99) 100 -}}
{{- else -}}
{{- int .of -}}
{{- end -}}
{{- end -}}

{{/* Pods of a component that a PodDisruptionBudget lets go at once. (root, replicas) */}}
{{- define "berth.pdb.allows" -}}
{{- with .root.Values.pdb -}}
{{- if kindIs "invalid" .minAvailable -}}
{{- include "berth.pdb.count" (dict "of" .maxUnavailable "replicas" $.replicas) -}}
{{- else -}}
{{- sub (int $.replicas) (include "berth.pdb.count" (dict "of" .minAvailable "replicas" $.replicas) | int) -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{/* Replicas of each component that the values ask for. */}}
{{- define "berth.replicas" -}}
{{- if .Values.scheduler.enabled }}
scheduler: {{ .Values.scheduler.replicas }}
{{- end }}
extender: {{ include "berth.extender.replicas" . }}
{{- if .Values.admission.enabled }}
admission: {{ .Values.admission.replicas }}
{{- end }}
controller: {{ .Values.controller.replicas }}
{{- end -}}

{{- define "berth.check.disruptions" -}}
{{- if .Values.pdb.enabled }}
{{- range $component, $replicas := include "berth.replicas" . | fromYaml }}
{{- if lt (include "berth.pdb.allows" (dict "root" $ "replicas" $replicas) | int) 1 }}
pdb allows no pod of {{ $component }} to be evicted ({{ $component }}.replicas={{ $replicas }}), so its node could never be drained; set more replicas, pdb.maxUnavailable=1 instead of pdb.minAvailable, or pdb.enabled=false
{{- end }}
{{- end }}
{{- end }}
{{- end -}}

{{- define "berth.check.admission" -}}
{{- if include "berth.config.says" (dict "root" . "path" "admission.frameworks") }}
config.admission.frameworks is set by the chart; write admission.frameworks, which also has the webhook asked about their objects
{{- end }}
{{- $hold := dig "admission" "policies" "gangs" "hold" "" (include "berth.config.given" . | fromYaml) }}
{{- if and (eq (toString $hold) "PodGroup") (not (include "berth.podGroups" .)) }}
config.admission.policies.gangs.hold is PodGroup, but the controller creates no PodGroups, so these pods would wait for ever; set config.planner.gangs.podGroups=true, or leave it out
{{- end }}
{{- $hasPodGroups := get (.Values.scheduler.featureGates | default dict) "GenericWorkload" }}
{{- if and (eq (toString $hold) "PodGroup") .Values.scheduler.enabled (not $hasPodGroups) }}
config.admission.policies.gangs.hold is PodGroup, but the chart's kube-scheduler knows no PodGroups and would bind each pod by itself; set scheduler.featureGates.GenericWorkload=true with a scheduler.image of Kubernetes 1.37, or leave it out
{{- end }}
{{- if and .Values.admission.enabled (eq .Values.admission.failurePolicy "Fail") (lt (int .Values.admission.replicas) 2) }}
admission.failurePolicy is Fail with one replica, so no pod could be created while that replica restarts; set admission.replicas=2, or admission.failurePolicy=Ignore
{{- end }}
{{- end -}}

{{- define "berth.check.tests" -}}
{{- $known := include "berth.namesOfCatalogue" . | fromYamlArray }}
{{- with .Values.tests.accelerator }}
{{- if not (has . $known) }}
tests.accelerator is {{ . | quote }}, which is not in the catalogue; write one of {{ join ", " $known }}
{{- end }}
{{- end }}
{{- end -}}
