{{/* Who may call the ports of a component besides that of its metrics. */}}

{{/* kube-scheduler is in the same pod, which no policy concerns; helm test comes from the namespace. */}}
{{- define "berth.networkPolicy.scheduler" -}}
- ports: [{port: https, protocol: TCP}]
  from: [{podSelector: {}}]
- ports: [{port: scheduler, protocol: TCP}]
  {{- with .Values.networkPolicy.metricsFrom }}
  from:
  {{- toYaml . | nindent 2 }}
  {{- end }}
{{- end -}}

{{/* kube-scheduler commonly has its node's address, which no selector knows. */}}
{{- define "berth.networkPolicy.extender" -}}
- ports: [{port: https, protocol: TCP}]
{{- end -}}

{{/* The API server, too. */}}
{{- define "berth.networkPolicy.admission" -}}
- ports: [{port: https, protocol: TCP}]
{{- end -}}

{{- define "berth.networkPolicy.controller" -}}
{{- end -}}
