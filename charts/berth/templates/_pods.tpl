{{/* What the pods of all components have in common. */}}

{{/* Requests and limits are the same: Berth's own pods are Guaranteed. (resources: cpu, memory) */}}
{{- define "berth.resources" -}}
requests: {cpu: {{ .cpu | quote }}, memory: {{ .memory | quote }}}
limits: {cpu: {{ .cpu | quote }}, memory: {{ .memory | quote }}}
{{- end -}}

{{- define "berth.container.securityContext" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities: {drop: [ALL]}
{{- end -}}

{{/*
A container that runs one of Berth's servers. (root, name: of the container and the subcommand;
https: its port, or none; resources)
*/}}
{{- define "berth.container" -}}
- name: {{ .name }}
  image: {{ include "berth.image" (dict "image" .root.Values.image "tag" .root.Chart.AppVersion) | quote }}
  imagePullPolicy: {{ .root.Values.image.pullPolicy }}
  command: [berth]
  args: [{{ .name }}, --config, /etc/berth/config/config.yaml]
  ports:
  {{- with .https }}
  - {name: https, containerPort: {{ . }}}
  {{- end }}
  - {name: metrics, containerPort: 9090}
  - {name: probes, containerPort: 9092}
  livenessProbe:
    httpGet: {path: /livez, port: probes}
    periodSeconds: 10
    timeoutSeconds: 5
    failureThreshold: 6
    # What hangs ends nothing in order, however long it is given.
    terminationGracePeriodSeconds: 5
  readinessProbe:
    httpGet: {path: /readyz, port: probes}
    periodSeconds: 5
    timeoutSeconds: 5
  {{- if .https }}
  # Clients learn from the Service that the pod goes before it stops to answer.
  lifecycle:
    preStop: {sleep: {seconds: 5}}
  {{- end }}
  resources:
    {{- include "berth.resources" .resources | nindent 4 }}
  securityContext:
    {{- include "berth.container.securityContext" . | nindent 4 }}
  volumeMounts:
  - {name: config, mountPath: /etc/berth/config, readOnly: true}
  {{- if .https }}
  - {name: tls, mountPath: /etc/berth/tls, readOnly: true}
  {{- end }}
{{- end -}}

{{- define "berth.volumes.config" -}}
- name: config
  configMap: {name: {{ include "berth.fullname" . }}}
{{- end -}}

{{/*
Certificates of a server or client. With `items` a Secret that has not been filled in yet keeps its pods in
ContainerCreating, instead of having them end again and again. (root, component, ca: true, too)
*/}}
{{- define "berth.volumes.tls" -}}
- name: tls
  secret:
    secretName: {{ include "berth.secret" . }}
    # Readable by Berth's group, too: kubelet adds that for fsGroup.
    defaultMode: 0400
    items:
    - {key: tls.crt, path: tls.crt}
    - {key: tls.key, path: tls.key}
    {{- if .ca }}
    - {key: ca.crt, path: ca.crt}
    {{- end }}
{{- end -}}

{{/* Who has signed the extender's certificate. */}}
{{- define "berth.volumes.ca" -}}
- name: ca
  secret:
    secretName: {{ include "berth.secret" (dict "root" . "component" "extender") }}
    items: [{key: ca.crt, path: ca.crt}]
{{- end -}}

{{/* The Secret with the certificate of a component. (root, component) */}}
{{- define "berth.secret" -}}
{{- if eq .root.Values.certificates.source "files" -}}
{{ get .root.Values.certificates.files (printf "%sSecret" .component) }}
{{- else -}}
{{ include "berth.fullname" .root }}-{{ .component }}-tls
{{- end -}}
{{- end -}}

{{/*
Berth's pods are CPU pods: where there are nodes without accelerators they leave the others alone.
*/}}
{{- define "berth.affinity" -}}
{{- if .Values.affinity -}}
{{ toYaml .Values.affinity }}
{{- else -}}
nodeAffinity:
  preferredDuringSchedulingIgnoredDuringExecution:
  - weight: 100
    preference:
      matchExpressions:
      - {key: {{ include "berth.prefix" . }}/accelerator, operator: DoesNotExist}
{{- end -}}
{{- end -}}

{{/*
Spread over nodes, then zones. A rollout spreads its new pods by themselves, or the old ones would
have a say in where they go. (root, component)
*/}}
{{- define "berth.topologySpread" -}}
{{- range .root.Values.topologySpread.keys }}
- topologyKey: {{ . }}
  maxSkew: 1
  whenUnsatisfiable: {{ $.root.Values.topologySpread.whenUnsatisfiable }}
  labelSelector:
    matchLabels:
      {{- include "berth.selector" $ | nindent 6 }}
  matchLabelKeys: [pod-template-hash]
{{- end }}
{{- end -}}

{{/* spec of a pod, without containers and volumes. (root, component, token: whether it calls the API) */}}
{{- define "berth.pod" -}}
{{- with .root.Values -}}
serviceAccountName: {{ include "berth.fullname" $.root }}-{{ $.component }}
automountServiceAccountToken: {{ $.token }}
enableServiceLinks: false
{{- with .priorityClassName }}
priorityClassName: {{ . }}
{{- end }}
{{- with .imagePullSecrets }}
imagePullSecrets:
{{- toYaml . | nindent 0 }}
{{- end }}
{{- with .nodeSelector }}
nodeSelector:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .tolerations }}
tolerations:
{{- toYaml . | nindent 0 }}
{{- end }}
securityContext:
  runAsNonRoot: true
  runAsUser: 65532
  runAsGroup: 65532
  fsGroup: 65532
  seccompProfile: {type: RuntimeDefault}
{{- end }}
{{- end -}}

{{/*
The Deployment of a component. (root, component, replicas, token, containers, volumes; optionally
mainContainer; unmeasured: true where it has no metrics of Berth's; annotations of its pods: what does not
read its configuration anew says by these when they have to be replaced)
*/}}
{{- define "berth.deployment" -}}
apiVersion: apps/v1
kind: Deployment
metadata:
  {{- include "berth.metadata" (dict "root" .root "component" .component "name" .component) | nindent 2 }}
spec:
  replicas: {{ .replicas }}
  # One more before one less: what answers is never fewer than asked for.
  strategy:
    rollingUpdate: {maxSurge: 1, maxUnavailable: 0}
  selector:
    matchLabels:
      {{- include "berth.selector" . | nindent 6 }}
  template:
    metadata:
      labels:
        {{- include "berth.labels" (dict "root" .root "component" .component "pod" true) | nindent 8 }}
        {{- if not .unmeasured }}
        {{- include "berth.metrics.label" . | nindent 8 }}
        {{- end }}
      annotations:
        kubectl.kubernetes.io/default-container: {{ .mainContainer | default .component }}
        {{- $annotations := .annotations | default (dict "checksum/config" (include "berth.config.startHash" .root)) }}
        {{- toYaml (merge $annotations .root.Values.podAnnotations) | nindent 8 }}
    spec:
      {{- include "berth.pod" . | nindent 6 }}
      affinity:
        {{- include "berth.affinity" .root | nindent 8 }}
      {{- with include "berth.topologySpread" . | trim }}
      topologySpreadConstraints:
      {{- . | nindent 6 }}
      {{- end }}
      containers:
      {{- .containers | nindent 6 }}
      volumes:
      {{- .volumes | nindent 6 }}
{{- end -}}

{{/* A Service account; tokens are mounted by those pods alone that ask for one. (root, component) */}}
{{- define "berth.serviceAccount" -}}
apiVersion: v1
kind: ServiceAccount
metadata:
  {{- include "berth.metadata" (dict "root" .root "component" .component "name" .component) | nindent 2 }}
automountServiceAccountToken: false
{{- end -}}

{{/* (root, component) */}}
{{- define "berth.pdb" -}}
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata:
  {{- include "berth.metadata" (dict "root" .root "component" .component "name" .component) | nindent 2 }}
spec:
  {{- if kindIs "invalid" .root.Values.pdb.minAvailable }}
  maxUnavailable: {{ .root.Values.pdb.maxUnavailable }}
  {{- else }}
  minAvailable: {{ .root.Values.pdb.minAvailable }}
  {{- end }}
  # Pods that are not ready protect nobody, and would keep a node from being drained.
  unhealthyPodEvictionPolicy: AlwaysAllow
  selector:
    matchLabels:
      {{- include "berth.selector" . | nindent 6 }}
{{- end -}}

{{/* Binds a Role or ClusterRole. (root, component, name: of the binding; role, kind; namespace: of
the RoleBinding, none for a ClusterRoleBinding) */}}
{{- define "berth.binding" -}}
apiVersion: rbac.authorization.k8s.io/v1
kind: {{ if .namespace }}RoleBinding{{ else }}ClusterRoleBinding{{ end }}
metadata:
  {{- include "berth.metadata" (dict "root" .root "component" .component "name" .name "namespace" .namespace "cluster" (not .namespace)) | nindent 2 }}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: {{ .kind }}, name: {{ .role | quote }}}
subjects:
- {kind: ServiceAccount, name: {{ include "berth.fullname" .root }}-{{ .component }}, namespace: {{ .root.Release.Namespace | quote }}}
{{- end -}}

{{/* By which the Service of the metrics tells Berth's own programs from kube-scheduler. */}}
{{- define "berth.metrics.label" -}}
berth.dev/metrics: "true"
{{- end -}}

{{- define "berth.extender.replicas" -}}
{{- .Values.extender.replicas | default 2 -}}
{{- end -}}
