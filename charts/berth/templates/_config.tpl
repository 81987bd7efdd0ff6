{{/* Berth's configuration: what the chart writes, and over it the value `config`. */}}

{{/* What Berth's configuration says where nobody says anything: the output of berth config defaults. */}}
{{- define "berth.defaults" -}}
{{ .Files.Get "files/defaults.yaml" }}
{{- end -}}

{{/* Domain of Berth's labels. */}}
{{- define "berth.prefix" -}}
{{- .Values.config.prefix | default (include "berth.defaults" . | fromYaml).prefix -}}
{{- end -}}

{{/* The catalogue of accelerators, as a map with one key, accelerators. */}}
{{- define "berth.catalogue" -}}
{{- $defaults := include "berth.defaults" . | fromYaml -}}
{{ dict "accelerators" (.Values.config.accelerators | default $defaults.accelerators) | toYaml }}
{{- end -}}

{{/* What its accelerators are called, in its order. */}}
{{- define "berth.namesOfCatalogue" -}}
{{- $names := list -}}
{{- range (include "berth.catalogue" . | fromYaml).accelerators }}{{ $names = append $names .name }}{{ end -}}
{{ toYaml $names }}
{{- end -}}

{{/* Certificates that the controller keeps. */}}
{{- define "berth.config.certificates" -}}
{{- $name := include "berth.fullname" . -}}
authority: {secret: {{ $name }}-ca}
servers:
- secret: {{ $name }}-extender-tls
  service: {{ $name }}-extender
  hosts: [localhost, 127.0.0.1, "::1"]
{{- if .Values.admission.enabled }}
- {secret: {{ $name }}-admission-tls, service: {{ $name }}-admission}
webhooks: [{{ $name }}]
{{- end }}
{{- if .Values.scheduler.enabled }}
clients:
- {secret: {{ $name }}-scheduler-tls, name: {{ $name }}-scheduler}
{{- end }}
{{- end -}}

{{/* The part of the configuration that belongs to the chart. */}}
{{- define "berth.config.own" -}}
{{- $name := include "berth.fullname" . -}}
apiVersion: config.berth.dev/v1alpha1
kind: BerthConfiguration
extender:
  listen: ":8443"
  tls:
    certFile: /etc/berth/tls/tls.crt
    keyFile: /etc/berth/tls/tls.key
    {{- if .Values.scheduler.enabled }}
    clientCAFile: /etc/berth/tls/ca.crt
    {{- end }}
  {{- if and .Values.scheduler.enabled (not .Values.scheduler.defaultSpreading) }}
  # As the profile of the chart's own kube-scheduler has it.
  shortlist: {defaultSpreading: false}
  {{- end }}
admission:
  listen: ":9443"
  tls: {certFile: /etc/berth/tls/tls.crt, keyFile: /etc/berth/tls/tls.key}
  {{- with .Values.admission.frameworks }}
  frameworks: {{ toJson . }}
  {{- end }}
  {{- if .Values.scheduler.enabled }}
  policies:
    schedulerName: {name: {{ .Values.scheduler.name | quote }}}
  {{- end }}
planner:
  {{- if .Values.scheduler.enabled }}
  schedulers: [{{ .Values.scheduler.name | quote }}]
  {{- else }}
  # Nobody's pods, until your own kube-scheduler calls Berth.
  schedulers: []
  {{- end }}
  {{- if and .Values.scheduler.enabled (dig "planner" "gangs" "enabled" false .Values.config) }}
  gangs: {schedulerLeases: [{{ .Release.Namespace }}/{{ $name }}-scheduler]}
  {{- end }}
controller:
  lease: {name: {{ $name }}-controller}
  owner: {{ $name }}
  {{- if .Values.scheduler.enabled }}
  ownedLeases: [{{ $name }}-scheduler]
  {{- end }}
  {{- if (.Values.repair).enabled }}
  repair: {enabled: true}
  {{- end }}
  {{- if or (include "berth.activeChecks" .) (include "berth.preflights" .) }}
  checkPods:
    priorityClass: {{ $name }}-checks
    {{- if .Values.scheduler.enabled }}
    scheduler: {{ .Values.scheduler.name | quote }}
    {{- end }}
  {{- end }}
  {{- if eq .Values.certificates.source "controller" }}
  certificates:
    {{- include "berth.config.certificates" . | nindent 4 }}
  {{- end }}
metrics:
  listen: ":9090"
probes:
  listen: ":9092"
{{- end -}}

{{/* What the values say. Of Off without quotes Helm's YAML makes false. */}}
{{- define "berth.config.given" -}}
{{- $config := deepCopy .Values.config -}}
{{- range dig "admission" "policies" dict $config -}}
{{- if kindIs "bool" .mode -}}{{- $_ := set . "mode" "Off" -}}{{- end -}}
{{- end -}}
{{ toYaml $config }}
{{- end -}}

{{/* The whole configuration. */}}
{{- define "berth.config" -}}
{{- mergeOverwrite (include "berth.config.own" . | fromYaml) (include "berth.config.given" . | fromYaml) | toYaml -}}
{{- end -}}

{{/* Not empty where the extender follows Services: ShortlistConfig::NeedsServices in the code. */}}
{{- define "berth.needsServices" -}}
{{- $defaults := (include "berth.defaults" . | fromYaml).extender.shortlist -}}
{{- $given := dig "extender" "shortlist" dict (include "berth.config" . | fromYaml) -}}
{{- $shortlist := mergeOverwrite $defaults $given -}}
{{- if and (gt (int $shortlist.size) 0) $shortlist.defaultSpreading -}}true{{- end -}}
{{- end -}}

{{/* The schedulers for whose pods the controller nominates nodes, as a list; empty: it nominates none. */}}
{{- define "berth.plannedSchedulers" -}}
{{ dig "planner" "schedulers" list (include "berth.config" . | fromYaml) | toYaml }}
{{- end -}}

{{/* Not empty where the controller nominates nodes. */}}
{{- define "berth.plans" -}}
{{- if include "berth.plannedSchedulers" . | fromYamlArray -}}true{{- end -}}
{{- end -}}

{{/* Not empty where the controller plans gangs. */}}
{{- define "berth.plansGangs" -}}
{{- $enabled := dig "planner" "gangs" "enabled" false (include "berth.config" . | fromYaml) -}}
{{- if and $enabled (include "berth.plans" .) -}}true{{- end -}}
{{- end -}}

{{/* Not empty where pods may wait behind the gate of gangs. */}}
{{- define "berth.gates" -}}
{{- $mode := dig "admission" "policies" "gangs" "mode" "" (include "berth.config.given" . | fromYaml) -}}
{{- if or (include "berth.plansGangs" .) (and .Values.admission.enabled (eq $mode "Enforce")) -}}true{{- end -}}
{{- end -}}

{{/* Not empty where pods of gangs may wait for PodGroups, which the controller creates and deletes. */}}
{{- define "berth.podGroups" -}}
{{- if dig "planner" "gangs" "podGroups" false (include "berth.config" . | fromYaml) -}}true{{- end -}}
{{- end -}}

{{/* The names of kube-schedulers' Leases that the controller reads, by namespace. */}}
{{- define "berth.schedulerLeases" -}}
{{- $default := (include "berth.defaults" . | fromYaml).planner.gangs.schedulerLeases -}}
{{- $found := dict -}}
{{- if include "berth.plansGangs" . -}}
{{- range dig "planner" "gangs" "schedulerLeases" $default (include "berth.config" . | fromYaml) -}}
{{- $parts := splitList "/" . -}}
{{- $_ := set $found (first $parts) (append (get $found (first $parts) | default list) (last $parts)) -}}
{{- end -}}
{{- end -}}
{{ $found | toYaml }}
{{- end -}}

{{/* Not empty where the controller ends pods on lost nodes: LostNodesConfig::enabled in the code. */}}
{{- define "berth.endsLostPods" -}}
{{- $after := dig "controller" "lostNodes" "forceDeleteAfter" "" .Values.config | toString -}}
{{- if regexMatch "[1-9]" $after -}}true{{- end -}}
{{- end -}}

{{/* Not empty where the controller runs checks on idle nodes. */}}
{{- define "berth.activeChecks" -}}
{{- if dig "controller" "activeChecks" list .Values.config -}}true{{- end -}}
{{- end -}}

{{/* Not empty where gangs have preflights, unless the planner is off. */}}
{{- define "berth.preflights" -}}
{{- $gangs := dig "planner" "gangs" dict .Values.config -}}
{{- if and (dig "enabled" false $gangs) (dig "preflight" "image" "" $gangs) -}}true{{- end -}}
{{- end -}}

{{/* Not empty where the controller makes pods that tell of nodes. */}}
{{- define "berth.runsChecks" -}}
{{- if or (include "berth.activeChecks" .) (and (include "berth.preflights" .) (include "berth.plansGangs" .)) -}}true{{- end -}}
{{- end -}}

{{/* Not empty where the controller writes Events of nodes that are excluded. */}}
{{- define "berth.tellsOfFaults" -}}
{{- if dig "controller" "events" true .Values.config -}}true{{- end -}}
{{- end -}}

{{/* Not empty where the controller taints nodes. */}}
{{- define "berth.taints" -}}
{{- if dig "controller" "taints" false .Values.config -}}true{{- end -}}
{{- end -}}

{{/* Not empty where the controller evicts pods from nodes that are excluded. */}}
{{- define "berth.evicts" -}}
{{- if dig "controller" "evict" list .Values.config -}}true{{- end -}}
{{- end -}}

{{/*
Hash of what Berth takes over only when it starts: with it as an annotation pods are replaced when
that changes, and only then. Everything else is taken over while they run.
*/}}
{{- define "berth.config.startHash" -}}
{{- $config := include "berth.config" . | fromYaml -}}
{{- $admission := omit $config.admission "frameworks" "controllers" "templates" "policies" "ordinaryResources" "fractionAnnotations" "ownRetries" -}}
{{- $start := omit $config "prefix" "log" "accelerators" "health" "scheduling" "admission" "planner" "controller" "prometheus" "idle" -}}
{{- $_ := set $start "extender" (omit $config.extender "shortlist") -}}
{{- list $start $admission | toJson | sha256sum -}}
{{- end -}}

{{/* Not empty where the controller looks for idle devices, and asks Prometheus. */}}
{{- define "berth.looksForIdle" -}}
{{- if dig "controller" "idle" "enabled" false .Values.config -}}true{{- end -}}
{{- end -}}

{{/* Not empty where the controller tells of idle devices. */}}
{{- define "berth.tellsOfIdle" -}}
{{- if and (include "berth.looksForIdle" .) (dig "controller" "idle" "events" true .Values.config) -}}true{{- end -}}
{{- end -}}

{{/* Not empty where the controller evicts notebooks with idle devices. */}}
{{- define "berth.evictsNotebooks" -}}
{{- $after := dig "controller" "idle" "evictNotebooksAfter" "0s" .Values.config | toString -}}
{{- if and (include "berth.looksForIdle" .) (regexMatch "[1-9]" $after) -}}true{{- end -}}
{{- end -}}
