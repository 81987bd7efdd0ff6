{{/* HTTPS of a component at port 443. (root, component) */}}
{{- define "berth.service" -}}
apiVersion: v1
kind: Service
metadata:
  {{- include "berth.metadata" (dict "root" .root "component" .component "name" .component) | nindent 2 }}
spec:
  type: ClusterIP
  selector:
    {{- include "berth.selector" (dict "root" .root "component" .component) | nindent 4 }}
  ports:
  - {name: https, port: 443, targetPort: https, protocol: TCP, appProtocol: https}
{{- end -}}
