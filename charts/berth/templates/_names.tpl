{{/* Names of objects, and the labels that all of them have. */}}

{{/* The release's name if that says berth, else with -berth behind it: prefix of every name. */}}
{{- define "berth.fullname" -}}
{{- contains "berth" .Release.Name | ternary .Release.Name (printf "%s-berth" .Release.Name) -}}
{{- end -}}

{{/* The DNS name by which the API server and kube-scheduler know a Service. (root, component) */}}
{{- define "berth.serviceHost" -}}
{{ include "berth.fullname" .root }}-{{ .component }}.{{ .root.Release.Namespace }}.svc
{{- end -}}

{{/* What selects the pods of a component. (root, component) */}}
{{- define "berth.selector" -}}
app.kubernetes.io/name: berth
app.kubernetes.io/instance: {{ .root.Release.Name | quote }}
app.kubernetes.io/component: {{ .component }}
{{- end -}}

{{/* Labels of an object. (root, component; without a component where it is everybody's; pod: true for a pod's) */}}
{{- define "berth.labels" -}}
app.kubernetes.io/name: berth
app.kubernetes.io/instance: {{ .root.Release.Name | quote }}
app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
app.kubernetes.io/part-of: berth
{{- with .component }}
app.kubernetes.io/component: {{ . }}
{{- end }}
{{- $labels := dict -}}
{{- if .pod }}{{ $labels = .root.Values.podLabels }}{{ end -}}
{{- with merge (dict) $labels .root.Values.commonLabels }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{/*
metadata of an object. (root, component, name: what follows the full name; optionally cluster:
true where it is in no namespace, namespace, labels, annotations, pod: true for a pod)
*/}}
{{- define "berth.metadata" -}}
name: {{ include "berth.fullname" .root }}{{ with .name }}-{{ . }}{{ end }}
{{- if not .cluster }}
namespace: {{ .namespace | default .root.Release.Namespace | quote }}
{{- end }}
labels:
  {{- include "berth.labels" . | nindent 2 }}
  {{- with .labels }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
{{- with merge (dict) (.annotations | default dict) .root.Values.commonAnnotations }}
annotations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end -}}

{{/* Reference of an image. (image: repository, tag, digest; tag: where the image has none) */}}
{{- define "berth.image" -}}
{{- if .image.digest -}}
{{ .image.repository }}@{{ .image.digest }}
{{- else -}}
{{ .image.repository }}:{{ .image.tag | default .tag }}
{{- end -}}
{{- end -}}
