{{/*
The webhooks of one configuration, one for each path of the admission server. Their selectors exclude
each other, so that every namespace has one of them at most; docs/admission.md has the table.
*/}}

{{/* Mode of namespaces without a label. Of off without quotes Helm's YAML makes false. */}}
{{- define "berth.webhook.defaultMode" -}}
{{- .Values.admission.defaultMode | default "off" -}}
{{- end -}}

{{/* What one of the modes, enforce or warn, says about a namespace's label. (root, mode) */}}
{{- define "berth.webhook.mode" -}}
{{- if eq .mode (include "berth.webhook.defaultMode" .root) -}}
operator: NotIn, values: [{{ eq .mode "warn" | ternary "enforce" "warn" }}, "off"]
{{- else -}}
operator: In, values: [{{ .mode }}]
{{- end -}}
{{- end -}}

{{/* clientConfig (root, path) */}}
{{- define "berth.webhook.client" -}}
service: {namespace: {{ .root.Release.Namespace | quote }}, name: {{ include "berth.fullname" .root }}-admission, port: 443, path: {{ .path }}}
{{- if eq .root.Values.certificates.source "files" }}
caBundle: {{ .root.Values.certificates.files.caBundle | b64enc }}
{{- end }}
{{- end -}}

{{/* Whom a webhook is asked about. (root, mode; allowed: whether by namespaces that may use nodes with accelerators) */}}
{{- define "berth.webhook.namespaces" -}}
{{- $prefix := include "berth.prefix" .root -}}
matchExpressions:
- {key: kubernetes.io/metadata.name, operator: NotIn, values: {{ concat (list "kube-system" .root.Release.Namespace) .root.Values.admission.excludedNamespaces | uniq | toJson }}}
- {key: {{ $prefix }}/admission, {{ include "berth.webhook.mode" . }}}
- {key: {{ $prefix }}/allow-accelerator-nodes, operator: {{ .allowed | ternary "In" "NotIn" }}, values: ["true"]}
{{- end -}}

{{/* What the chosen frameworks' objects are, as a list of rules without operations and scope. (root) */}}
{{- define "berth.webhook.rules.frameworks" -}}
{{- $profiles := .Files.Get "files/frameworks.yaml" | fromYaml -}}
{{- $rules := list -}}
{{- range .Values.admission.frameworks -}}
{{- $rules = concat $rules (get $profiles .).rules -}}
{{- end -}}
{{ toYaml $rules }}
{{- end -}}

{{/* (root, mode; updates: whether of the webhook for updates of pods) */}}
{{- define "berth.webhook.rules.mutate" -}}
{{- if .updates -}}
- {operations: [UPDATE], apiGroups: [""], apiVersions: [v1], resources: [pods], scope: Namespaced}
{{- else -}}
- {operations: [CREATE], apiGroups: [""], apiVersions: [v1], resources: [pods], scope: Namespaced}
- {operations: [{{ eq .mode "enforce" | ternary "CREATE, UPDATE" "CREATE" }}], apiGroups: [batch], apiVersions: [v1], resources: [jobs], scope: Namespaced}
{{- if eq .mode "enforce" }}
{{- range include "berth.webhook.rules.frameworks" .root | fromYamlArray }}
- {operations: [CREATE], apiGroups: {{ toJson .apiGroups }}, apiVersions: {{ toJson .apiVersions }}, resources: {{ toJson .resources }}, scope: Namespaced}
{{- end }}
{{- range .root.Values.admission.extraRules }}
{{- if or (has "CREATE" .operations) (has "*" .operations) }}
{{ toYaml (list (merge (dict "operations" (list "CREATE")) .)) }}
{{- end }}
{{- end }}
{{- end }}
{{- end -}}
{{- end -}}

{{/* (root; updates: whether of the webhook for updates of pods) */}}
{{- define "berth.webhook.rules.validate" -}}
{{- if .updates -}}
- {operations: [UPDATE], apiGroups: [""], apiVersions: [v1], resources: [pods], scope: Namespaced}
{{- else -}}
{{- if include "berth.plansGangs" .root -}}
- {operations: [CREATE], apiGroups: [""], apiVersions: [v1], resources: [pods], scope: Namespaced}
- {operations: [CREATE, UPDATE], apiGroups: [""], apiVersions: [v1], resources: [replicationcontrollers], scope: Namespaced}
{{- else -}}
- {operations: [CREATE, UPDATE], apiGroups: [""], apiVersions: [v1], resources: [pods, replicationcontrollers], scope: Namespaced}
{{- end }}
- {operations: [CREATE, UPDATE], apiGroups: [batch], apiVersions: [v1], resources: [jobs, cronjobs], scope: Namespaced}
- {operations: [CREATE, UPDATE], apiGroups: [apps], apiVersions: [v1], resources: [deployments, replicasets, statefulsets], scope: Namespaced}
{{- range include "berth.webhook.rules.frameworks" .root | fromYamlArray }}
- {operations: [CREATE, UPDATE], apiGroups: {{ toJson .apiGroups }}, apiVersions: {{ toJson .apiVersions }}, resources: {{ toJson .resources }}, scope: Namespaced}
{{- end }}
{{- with .root.Values.admission.extraRules }}
{{ toYaml . }}
{{- end }}
{{- end -}}
{{- end -}}

{{/*
Pods that belong to their node have to start even while Berth is away. With Ignore these conditions
would cost the API server as much as the call that they save.

A gang runs when the controller has taken the gates of all its pods away, so these updates must not
wait for a call each. The controller changes nothing of pods that the webhook would judge.
(root, updates, failurePolicy)
*/}}
{{- define "berth.webhook.conditions" -}}
{{- $spares := and .updates (include "berth.plansGangs" .root) -}}
{{- if or $spares (eq .failurePolicy "Fail") -}}
matchConditions:
{{- if eq .failurePolicy "Fail" }}
- name: not-a-daemon
  expression: request.userInfo.username != "system:serviceaccount:kube-system:daemon-set-controller"
- name: not-of-a-kubelet
  expression: '!("system:nodes" in request.userInfo.groups)'
{{- end }}
{{- if $spares }}
- name: not-of-the-planner
  expression: request.userInfo.username != "system:serviceaccount:{{ .root.Release.Namespace }}:{{ include "berth.fullname" .root }}-controller"
{{- end }}
{{- end -}}
{{- end -}}

{{/*
Pods that are applied again and again are those of people. Controllers make and update many more.
*/}}
{{- define "berth.webhook.ownPods" -}}
objectSelector:
  matchExpressions:
  - {key: batch.kubernetes.io/job-name, operator: DoesNotExist}
  - {key: controller-revision-hash, operator: DoesNotExist}
  - {key: pod-template-hash, operator: DoesNotExist}
{{- end -}}

{{/* (root, verb: mutate or validate; mode, allowed, failurePolicy; updates: whether for updates of pods alone) */}}
{{- define "berth.webhook" -}}
{{- with .root -}}
- name: {{ $.mode }}{{ if $.allowed }}-allowed{{ end }}{{ if $.updates }}-updates{{ end }}.{{ $.verb }}.{{ include "berth.prefix" . }}
  clientConfig:
    {{- include "berth.webhook.client" (dict "root" . "path" (printf "/%s/%s%s" $.verb $.mode ($.allowed | ternary "/allow-accelerator-nodes" ""))) | nindent 4 }}
  namespaceSelector:
    {{- include "berth.webhook.namespaces" $ | nindent 4 }}
  {{- if and $.updates (eq $.verb "mutate") }}
  {{- include "berth.webhook.ownPods" . | nindent 2 }}
  {{- end }}
  rules:
    {{- include (printf "berth.webhook.rules.%s" $.verb) $ | nindent 2 }}
  {{- with include "berth.webhook.conditions" $ }}
  {{- . | nindent 2 }}
  {{- end }}
  failurePolicy: {{ $.failurePolicy }}
  timeoutSeconds: {{ .Values.admission.timeoutSeconds }}
  {{- if eq $.verb "mutate" }}
  # A sidecar that another webhook adds later gets its limits, too.
  reinvocationPolicy: IfNeeded
  {{- end }}
  matchPolicy: Equivalent
  sideEffects: None
  admissionReviewVersions: [v1]
{{- end }}
{{- end -}}

{{/* A webhook configuration. (root, verb, kind, failurePolicy; optionally annotations) */}}
{{- define "berth.webhookConfiguration" -}}
apiVersion: admissionregistration.k8s.io/v1
kind: {{ .kind }}
metadata:
  {{- $annotations := .annotations | default dict }}
  {{- if eq .root.Values.certificates.source "cert-manager" }}
  {{- $annotations = set $annotations "cert-manager.io/inject-ca-from" (printf "%s/%s-admission-tls" .root.Release.Namespace (include "berth.fullname" .root)) }}
  {{- end }}
  {{- include "berth.metadata" (dict "root" .root "component" "admission" "cluster" true "annotations" $annotations) | nindent 2 }}
webhooks:
{{- range $mode := list "enforce" "warn" }}
{{- range $allowed := list false true }}
{{ include "berth.webhook" (dict "root" $.root "verb" $.verb "mode" $mode "allowed" $allowed "failurePolicy" $.failurePolicy) }}
{{- end }}
{{- end }}
{{- if eq .verb "mutate" }}
{{- range $allowed := list false true }}
{{ include "berth.webhook" (dict "root" $.root "verb" $.verb "mode" "enforce" "allowed" $allowed "updates" true "failurePolicy" $.failurePolicy) }}
{{- end }}
{{- else if include "berth.plansGangs" .root }}
{{- range $mode := list "enforce" "warn" }}
{{- range $allowed := list false true }}
{{ include "berth.webhook" (dict "root" $.root "verb" $.verb "mode" $mode "allowed" $allowed "updates" true "failurePolicy" $.failurePolicy) }}
{{- end }}
{{- end }}
{{- end }}
{{- end -}}
