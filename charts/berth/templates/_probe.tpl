{{/*
Which nodes the probes of one DaemonSet run on: those of no other one, or two would write the same conditions. An
affinity of the user's own decides which nodes count at all. (root, affinity; of: the accelerators of a pool, or else
notOf: those of all pools)
*/}}
{{- define "berth.probe.affinity" -}}
{{- $key := printf "%s/accelerator" (include "berth.prefix" .root) -}}
{{- $ours := list -}}
{{- if .of -}}
{{- $ours = list (dict "key" $key "operator" "In" "values" .of) -}}
{{- else if .notOf -}}
{{- $ours = list (dict "key" $key "operator" "NotIn" "values" .notOf) -}}
{{- end -}}
{{- if not .affinity -}}
nodeAffinity:
  requiredDuringSchedulingIgnoredDuringExecution:
    nodeSelectorTerms:
    - matchExpressions:
      {{- if not .of }}
      - {key: {{ $key }}, operator: Exists}
      {{- end }}
      {{- range $ours }}
      - {key: {{ .key }}, operator: {{ .operator }}, values: {{ toJson .values }}}
      {{- end }}
{{- else if not $ours -}}
{{ toYaml .affinity }}
{{- else -}}
{{- $affinity := deepCopy .affinity -}}
{{- $nodes := $affinity.nodeAffinity | default dict -}}
{{- $required := $nodes.requiredDuringSchedulingIgnoredDuringExecution | default dict -}}
{{- /* One of the terms has to hold, so each gets what is ours. */ -}}
{{- $terms := list -}}
{{- range $required.nodeSelectorTerms -}}
{{- /* An empty term selects no node, and must not select all of a pool. */ -}}
{{- if or .matchExpressions .matchFields -}}
{{- $terms = append $terms (set . "matchExpressions" (concat (.matchExpressions | default list) $ours)) -}}
{{- end -}}
{{- end -}}
{{- if not $required.nodeSelectorTerms -}}
{{- $terms = list (dict "matchExpressions" $ours) -}}
{{- else if not $terms -}}
{{- $terms = list dict -}}
{{- end -}}
{{- $required = set $required "nodeSelectorTerms" $terms -}}
{{- $nodes = set $nodes "requiredDuringSchedulingIgnoredDuringExecution" $required -}}
{{ set $affinity "nodeAffinity" $nodes | toYaml }}
{{- end -}}
{{- end -}}

{{/* Names are judged here: where a schema refuses one, Helm 3.22 says it of some other value. */}}
{{- define "berth.check.probe" -}}
{{- $known := include "berth.namesOfCatalogue" . | fromYamlArray -}}
{{- $pools := dict -}}
{{- range $name, $pool := (.Values.probe).pools }}
{{- /* probe-NAME is the value of a label, which has 63 characters at most. */}}
{{- if not (regexMatch "^[a-z0-9]([-a-z0-9]{0,55}[a-z0-9])?$" $name) }}
probe.pools has {{ $name | quote }}, which is no name for a DaemonSet; write at most 57 characters: small letters, digits and, between them, -
{{- end }}
{{- range $accelerator := ($pool | default dict).accelerators }}
{{- if not (has $accelerator $known) }}
probe.pools.{{ $name }}.accelerators has {{ $accelerator | quote }}, which is not in the catalogue; write one of {{ join ", " $known }}
{{- end }}
{{- with get $pools $accelerator }}
probe.pools.{{ . }} and probe.pools.{{ $name }} both have {{ $accelerator }}, so two detectors would contradict each other on its nodes; leave it out of one
{{- end }}
{{- $pools = set $pools $accelerator $name }}
{{- end }}
{{- end }}
{{- end -}}
