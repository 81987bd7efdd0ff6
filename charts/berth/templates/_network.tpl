{{/* Who may call the ports of a component besides that of its metrics. */}}

{{/* Its metrics. */}}
{{- define "berth.networkPolicy.scheduler" -}}
- ports: [{port: scheduler, protocol: TCP}]
  {{- with .Values.networkPolicy.metricsFrom }}
  from:
  {{- toYaml . | nindent 2 }}
  {{- end }}
{{- end -}}

{{/*
The chart's own kube-scheduler and helm test come from the namespace; a kube-scheduler of the user's
commonly has its node's address, which no selector knows.
*/}}
{{- define "berth.networkPolicy.extender" -}}
- ports: [{port: https, protocol: TCP}]
  {{- if .Values.scheduler.enabled }}
  from: [{podSelector: {}}]
  {{- end }}
{{- end -}}

{{/* What kube-scheduler calls besides the API server: the extender, whose Service it looks up by name. */}}
{{- define "berth.networkPolicy.scheduler.egress" -}}
- ports: [{port: 8443, protocol: TCP}]
  to:
  - podSelector:
      matchLabels:
        {{- include "berth.selector" (dict "root" . "component" "extender") | nindent 8 }}
- ports:
  {{- range .Values.networkPolicy.dnsPorts | default (list 53) }}
  - {port: {{ . }}, protocol: UDP}
  - {port: {{ . }}, protocol: TCP}
  {{- end }}
{{- end -}}

{{/* What the controller calls besides the API server: Prometheus, whose name it looks up. */}}
{{- define "berth.networkPolicy.controller.egress" -}}
{{- $url := urlParse (dig "prometheus" "url" "" .Values.config) -}}
{{- $port := regexFind "[0-9]+$" (regexFind ":[0-9]+$" $url.host) | default (eq $url.scheme "https" | ternary "443" "80") -}}
- ports:
  - {port: {{ $port }}, protocol: TCP}
- ports:
  {{- range .Values.networkPolicy.dnsPorts | default (list 53) }}
  - {port: {{ . }}, protocol: UDP}
  - {port: {{ . }}, protocol: TCP}
  {{- end }}
{{- end -}}

{{/* The API server, too. */}}
{{- define "berth.networkPolicy.admission" -}}
- ports: [{port: https, protocol: TCP}]
{{- end -}}

{{- define "berth.networkPolicy.controller" -}}
{{- end -}}
