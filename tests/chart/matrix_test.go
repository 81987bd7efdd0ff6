package chart

import "testing"

// configurations are values that people install with; whatever is promised of the chart holds for
// all of them.
var configurations = []struct {
	name string
	installation
}{
	{name: "defaults"},
	{name: "the user's own scheduler", installation: installation{values: `
scheduler: {enabled: false}`}},
	{name: "no webhook", installation: installation{values: `
admission: {enabled: false}
scheduler: {enabled: false}`}},
	{name: "values of the chart that had the extender beside kube-scheduler", installation: installation{values: `
scheduler: {enabled: false}
extender: {enabled: true, replicas: null}`}},
	{name: "the scheduler alone", installation: installation{values: `
admission: {enabled: false}`}},
	{name: "cert-manager", installation: installation{values: `
certificates: {source: cert-manager, certManager: {issuerRef: {name: ml, kind: ClusterIssuer}}}`}},
	{name: "certificates of one's own", installation: installation{values: `
certificates:
  source: files
  files:
    extenderSecret: extender
    admissionSecret: admission
    schedulerSecret: scheduler
    caBundle: |
      -----BEGIN CERTIFICATE-----
      MAA=
      -----END CERTIFICATE-----`}},
	// helm upgrade --reuse-values has the defaults of the former chart, which knew less.
	{name: "the values of version 0.1.0", installation: installation{values: `
board: null
probe: null
repair: null
scheduler: {defaultSpreading: null, percentageOfNodesToScore: null, podMaxBackoffSeconds: null, featureGates: null}
admission: {frameworks: null, uninstallHooks: null}
controller: {podPolicy: null}
certificates: {files: {schedulerSecret: null}}
networkPolicy: {dnsPorts: null}`}},
	{name: "everything that can be switched on", installation: installation{values: everything}},
	{name: "everything, with the user's own scheduler", installation: installation{values: everything + `
scheduler: {enabled: false}
extender: {replicas: 3}`}},
	{name: "one of each", installation: installation{values: `
scheduler: {replicas: 1}
extender: {replicas: 1}
admission: {replicas: 1}
controller: {replicas: 1}`}},
	{name: "no disruption budgets, no priority", installation: installation{values: `
pdb: {enabled: false}
priorityClassName: ""
topologySpread: {keys: []}`}},
	{name: "a catalogue and a prefix of one's own", installation: installation{values: `
config:
  prefix: ml.example.com
  accelerators:
  - {name: H100, resource: nvidia.com/gpu, memory: 80Gi}
  - {name: H200, resource: nvidia.com/gpu, nodes: [{label: gpu, matches: '(?i)\bh200'}]}
  - {name: Gaudi, resource: habana.ai/gaudi, share: {cpu: 8, memory: 64Gi}}`}},
	{name: "enforced everywhere", installation: installation{values: `
admission: {defaultMode: enforce, failurePolicy: Fail, excludedNamespaces: [cni]}`}},
	{name: "asked for alone", installation: installation{values: `
admission: {defaultMode: off}
config: {admission: {policies: {isolation: {mode: Off}}}, log: {level: debug}}`}},
	{name: "no shortlist", installation: installation{values: `
config: {extender: {shortlist: {size: 0}}}`}},
	{name: "a shortlist that needs no Services", installation: installation{values: `
config: {extender: {shortlist: {size: 8, defaultSpreading: false}}}`}},
	{name: "pods that are spread", installation: installation{values: `
scheduler: {defaultSpreading: true, podMaxBackoffSeconds: 10}`}},
	{name: "pods on lost nodes are ended", installation: installation{values: `
config: {controller: {lostNodes: {forceDeleteAfter: 15m}}}`}},
	{name: "pods on lost nodes are left alone", installation: installation{values: `
config: {controller: {lostNodes: {forceDeleteAfter: 0h0s, maxShare: 0.5}}}`}},
	{name: "nobody is told of excluded nodes", installation: installation{values: `
config: {controller: {events: false}}`}},
	{name: "pods leave excluded nodes", installation: installation{values: `
config: {controller: {evict: [{condition: GPUIsLost, after: 15m}], avoidFor: 1h}}`}},
	{name: "idle devices are told of", installation: installation{values: everything + `
config: {prometheus: {url: "http://prometheus.monitoring:9090"}, controller: {idle: {enabled: true}}}`}},
	{name: "idle devices are counted", installation: installation{values: `
config: {prometheus: {url: "https://prometheus.example.com"}, controller: {events: false, idle: {enabled: true, events: false}}}`}},
	{name: "idle notebooks are evicted", installation: installation{values: `
config:
  prometheus: {url: "http://prometheus.monitoring:9090"}
  controller: {idle: {enabled: true, evictNotebooksAfter: 24h}}
  planner: {gangs: {enabled: false}}`}},
	{name: "excluded nodes are tainted", installation: installation{values: everything + `
config: {prefix: ml.example.com, controller: {taints: true}}`}},
	{name: "no planner", installation: installation{values: `
config: {planner: {schedulers: []}}`}},
	{name: "a planner for the user's own scheduler", installation: installation{values: `
scheduler: {enabled: false}
config: {planner: {schedulers: [default-scheduler]}}`}},
	{name: "gangs are planned", installation: installation{values: `
config: {planner: {gangs: {enabled: true}, topology: [{label: topology.kubernetes.io/zone}]}}`}},
	{name: "gangs wait for PodGroups", installation: installation{values: `
scheduler: {featureGates: {GenericWorkload: true}, image: {tag: v1.37.2}}
config: {admission: {policies: {gangs: {mode: Enforce, hold: PodGroup}}}, planner: {gangs: {enabled: true, podGroups: true}}}`}},
	{name: "gangs are planned for the user's own scheduler", installation: installation{values: `
scheduler: {enabled: false}
config: {planner: {schedulers: [default-scheduler], gangs: {enabled: true}}}`}},
	{name: "the board", installation: installation{values: everything + `
board: {enabled: true, resources: {memory: 1Gi}}`}},
	{name: "probes", installation: installation{values: `
probe: {enabled: true, flags: ["gpu-lost:expect=8"]}`}},
	{name: "probes of a mixed cluster", installation: installation{values: everything + mixedCluster}},
	{name: "nodes are repaired", installation: installation{values: everything + `
repair: {enabled: true}`}},
	{name: "idle nodes are checked", installation: installation{values: `
config: {controller: {activeChecks: [{name: vector-add, image: "registry.example/vector-add:1"}]}}`}},
	{name: "gangs have preflights", installation: installation{values: `
config: {planner: {gangs: {enabled: true, preflight: {image: "registry.example/all-reduce:1"}}}}`}},
	{name: "gangs would have preflights", installation: installation{values: `
config: {planner: {gangs: {preflight: {image: "registry.example/all-reduce:1"}}}}`}},
	{name: "another name", installation: installation{name: "ml", namespace: "kube-system"}},
}

const everything = `
image: {repository: registry.example/berth, digest: "sha256:` + digest + `", pullPolicy: Always}
imagePullSecrets: [{name: registry}]
admission:
  failurePolicy: Fail
  excludedNamespaces: [cni, storage]
  frameworks: [jobset, kueue, mpi-operator, training-operator, trainer, kuberay, lws, argo]
  extraRules:
  - {apiGroups: [batch.volcano.sh], apiVersions: [v1alpha1], resources: [jobs], operations: [CREATE, UPDATE], scope: Namespaced}
metrics:
  serviceMonitor: {enabled: true, interval: 10s, labels: {release: prometheus}}
  prometheusRule: {enabled: true, labels: {release: prometheus}}
  dashboard: {enabled: true, annotations: {grafana_folder: ML}}
networkPolicy:
  enabled: true
  apiServerTo: [{ipBlock: {cidr: 10.0.0.0/8}}]
  metricsFrom: [{namespaceSelector: {matchLabels: {kubernetes.io/metadata.name: monitoring}}}]
controller: {podPolicy: true}
pdb: {minAvailable: 1}
nodeSelector: {kubernetes.io/os: linux}
tolerations: [{key: node-role.kubernetes.io/control-plane, operator: Exists, effect: NoSchedule}]
affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: [{matchExpressions: [{key: pool, operator: In, values: [infra]}]}]}}}
topologySpread: {keys: [kubernetes.io/hostname], whenUnsatisfiable: DoNotSchedule}
commonLabels: {team: ml}
commonAnnotations: {owner: ml@example.com}
podLabels: {sidecar: "false"}
podAnnotations: {note: "1"}
tests: {namespace: ml, accelerator: A100}
`

const digest = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

// forEach runs a test for every configuration.
func forEach(t *testing.T, test func(*testing.T, *release)) {
	for _, c := range configurations {
		t.Run(c.name, func(t *testing.T) { test(t, c.render(t)) })
	}
}
