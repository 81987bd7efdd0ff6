{{/*
Configuration of the chart's own kube-scheduler. docs/scheduling.md and `berth stanza` say why each
field of the extender is as it is.
*/}}
{{- define "berth.scheduler.config" -}}
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
leaderElection:
  leaderElect: true
  resourceName: {{ include "berth.fullname" . }}-scheduler
  resourceNamespace: {{ .Release.Namespace | quote }}
# kube-scheduler's default of 50 requests a second would be the most pods that it can bind.
clientConnection: {qps: 1000, burst: 2000}
{{- if kindIs "invalid" .Values.scheduler.percentageOfNodesToScore | not }}
percentageOfNodesToScore: {{ .Values.scheduler.percentageOfNodesToScore }}
{{- else if has .Values.scheduler.name (include "berth.plannedSchedulers" . | fromYamlArray) }}
# kube-scheduler looks at a sample of the nodes, of 100 at least. The planner looks at all of them, so the
# sample may be smaller than by default, where it is a twentieth of a large cluster.
percentageOfNodesToScore: 2
{{- else }}
# By default kube-scheduler looks at a sample of the nodes. No planner looks at the others, so a pod whose
# whole sample is refused would wait although good nodes exist.
percentageOfNodesToScore: 100
{{- end }}
podMaxBackoffSeconds: {{ .Values.scheduler.podMaxBackoffSeconds | default 60 }}
profiles:
- schedulerName: {{ .Values.scheduler.name | quote }}
  pluginConfig:
  # By default kube-scheduler looks for pods to preempt on a tenth of the nodes (at least 100) before it
  # calls Berth, and a pod for a small pool waits if Berth refuses all of these nodes.
  - name: DefaultPreemption
    args: {minCandidateNodesPercentage: 100}
  {{- if not .Values.scheduler.defaultSpreading }}
  # Otherwise Berth would have to answer with all nodes for pods of ReplicaSets, StatefulSets and Services.
  - name: PodTopologySpread
    args: {defaultingType: List, defaultConstraints: []}
  {{- end }}
extenders:
- urlPrefix: https://{{ include "berth.serviceHost" (dict "root" . "component" "extender") }}:443
  filterVerb: filter
  prioritizeVerb: prioritize
  preemptVerb: preempt
  weight: 31
  enableHTTPS: true
  nodeCacheCapable: true
  ignorable: false
  httpTimeout: 5s
  tlsConfig:
    caFile: /etc/berth/ca/ca.crt
    certFile: /etc/berth/tls/tls.crt
    keyFile: /etc/berth/tls/tls.key
  managedResources:
  {{- range include "berth.resourcesOfCatalogue" . | fromYamlArray }}
  - {name: {{ . }}, ignoredByScheduler: false}
  {{- end }}
{{- end -}}

{{/* The resources that pods ask for, those of slices too, each once, in the order of the catalogue. */}}
{{- define "berth.resourcesOfCatalogue" -}}
{{- $resources := list -}}
{{- range (include "berth.catalogue" . | fromYaml).accelerators -}}
{{- $resources = append $resources .resource -}}
{{- range .slices }}{{ $resources = append $resources .resource }}{{ end -}}
{{- end -}}
{{ uniq $resources | toYaml }}
{{- end -}}

{{- define "berth.scheduler.container" -}}
{{- $image := .Values.scheduler.image -}}
- name: kube-scheduler
  image: {{ include "berth.image" (dict "image" $image) | quote }}
  imagePullPolicy: {{ $image.pullPolicy }}
  command: [kube-scheduler]
  args:
  - --config=/etc/berth/scheduler/config.yaml
  - --secure-port=10259
  - --v={{ .Values.scheduler.verbosity }}
  {{- with .Values.scheduler.featureGates }}
  {{- $gates := list }}
  {{- range $feature, $on := . }}{{ $gates = append $gates (printf "%s=%t" $feature $on) }}{{ end }}
  - --feature-gates={{ join "," $gates }}
  {{- end }}
  ports:
  - {name: scheduler, containerPort: 10259}
  startupProbe:
    httpGet: {path: /livez, port: scheduler, scheme: HTTPS}
    periodSeconds: 5
    failureThreshold: 24
  livenessProbe:
    httpGet: {path: /livez, port: scheduler, scheme: HTTPS}
    periodSeconds: 10
    timeoutSeconds: 15
    failureThreshold: 8
  readinessProbe:
    httpGet: {path: /readyz, port: scheduler, scheme: HTTPS}
    periodSeconds: 5
    timeoutSeconds: 5
  resources:
    {{- include "berth.resources" .Values.scheduler.resources | nindent 4 }}
  securityContext:
    {{- include "berth.container.securityContext" . | nindent 4 }}
  volumeMounts:
  - {name: scheduler, mountPath: /etc/berth/scheduler, readOnly: true}
  # The extender's authority alone; its key is its own.
  - {name: ca, mountPath: /etc/berth/ca, readOnly: true}
  # By which the extender knows who asks.
  - {name: tls, mountPath: /etc/berth/tls, readOnly: true}
{{- end -}}

{{- define "berth.scheduler.volumes" -}}
{{ include "berth.volumes.tls" (dict "root" . "component" "scheduler") }}
{{ include "berth.volumes.ca" . }}
- name: scheduler
  configMap: {name: {{ include "berth.fullname" . }}-scheduler}
{{- end -}}
