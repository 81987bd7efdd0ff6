package chart

import (
	"strings"
	"testing"
)

// Each is refused with a sentence that says what to write instead.
func TestContradictionsAreRefused(t *testing.T) {
	for _, c := range []struct{ name, values, want string }{
		{"nobody to ask", `extender: {enabled: false}`,
			"extender.enabled is false, but every kube-scheduler that uses Berth calls the extender; " +
				"leave it out"},
		{"pods that are spread, and shortlisted all the same",
			`{scheduler: {defaultSpreading: true}, config: {extender: {shortlist: {defaultSpreading: false}}}}`,
			"config.extender.shortlist.defaultSpreading is false, but scheduler.defaultSpreading is " +
				"true; leave out the former"},
		{"the cluster's own scheduler", `scheduler: {name: default-scheduler}`,
			"scheduler.name is default-scheduler, which the cluster already has; write another name"},
		{"pods sent to another scheduler",
			`config: {admission: {policies: {schedulerName: {name: volcano}}}}`,
			`config.admission.policies.schedulerName.name is "volcano", but the chart's own scheduler ` +
				`is "berth"; leave it out, or set scheduler.name`},
		{"pods that wait for what nobody creates",
			`config: {admission: {policies: {gangs: {mode: Enforce, hold: PodGroup}}}}`,
			"config.admission.policies.gangs.hold is PodGroup, but the controller creates no PodGroups, so " +
				"these pods would wait for ever; set config.planner.gangs.podGroups=true, or leave it out"},
		{"PodGroups before a kube-scheduler that has none",
			`config: {admission: {policies: {gangs: {mode: Enforce, hold: PodGroup}}}, planner: {gangs: ` +
				`{enabled: true, podGroups: true}}}`,
			"config.admission.policies.gangs.hold is PodGroup, but the chart's kube-scheduler knows no " +
				"PodGroups and would bind each pod by itself; set scheduler.featureGates.GenericWorkload=true " +
				"with a scheduler.image of Kubernetes 1.37, or leave it out"},
		{"two sources of certificates",
			`certificates: {source: cert-manager, certManager: {issuerRef: {name: ml}}, files: {caBundle: x}}`,
			"certificates.files.caBundle is set, but certificates.source is cert-manager; set " +
				"certificates.source=files, or leave it out"},
		{"an issuer for nothing", `certificates: {certManager: {issuerRef: {name: ml}}}`,
			"certificates.certManager.issuerRef.name is set, but certificates.source is controller"},
		{"a block that the values of a former chart do not have",
			`probe: {enabled: true, image: null, probes: null, interval: null, flags: null, nvidiaRoot: null, ` +
				`pools: null, resources: null, priorityClassName: null, affinity: null}`,
			"probe.enabled is true, but the other values of probe are missing, as with --reuse-values and a chart " +
				"that did not know them; upgrade with --reset-then-reuse-values"},
		{"cert-manager without an issuer", `certificates: {source: cert-manager}`,
			"certificates.source is cert-manager, which needs an issuer; set " +
				"certificates.certManager.issuerRef.name"},
		{"files without Secrets", `certificates: {source: files}`,
			"certificates.source is files, which needs certificates.files.admissionSecret"},
		{"a scheduler that the extender does not know", `certificates: {source: files}`,
			"certificates.source is files, which needs certificates.files.schedulerSecret"},
		{"an authority that is none",
			`certificates: {source: files, files: {extenderSecret: a, admissionSecret: b, caBundle: c}}`,
			"certificates.files.caBundle is not PEM; give the authority's certificates"},
		{"a key that everybody could read",
			`certificates: {source: files, files: {extenderSecret: a, admissionSecret: b, caBundle: ` +
				`"-----BEGIN PRIVATE KEY-----"}}`,
			"certificates.files.caBundle contains a private key; give only the authority's certificates"},
		{"certificates that nobody makes", `
certificates: {source: cert-manager, certManager: {issuerRef: {name: ml}}}
config: {controller: {certificates: {validity: 24h}}}`,
			"config.controller.certificates is for certificates.source=controller, not cert-manager"},
		{"a node that cannot be drained", `{admission: {replicas: 1}, pdb: {minAvailable: 1}}`,
			"pdb allows no pod of admission to be evicted (admission.replicas=1), so its node could never be " +
				"drained; set more replicas, pdb.maxUnavailable=1 instead of pdb.minAvailable, or " +
				"pdb.enabled=false"},
		{"no disruption at all", `pdb: {maxUnavailable: 0}`,
			"pdb allows no pod of scheduler to be evicted (scheduler.replicas=2)"},
		{"a share that is rounded up", `pdb: {minAvailable: 51%}`,
			"pdb allows no pod of controller to be evicted (controller.replicas=2)"},
		{"nothing works while one restarts", `{admission: {replicas: 1, failurePolicy: Fail}}`,
			"admission.failurePolicy is Fail with one replica, so no pod could be created while that " +
				"replica restarts; set admission.replicas=2, or admission.failurePolicy=Ignore"},
		{"frameworks that the webhook would not be asked about",
			`config: {admission: {frameworks: [jobset]}}`,
			"config.admission.frameworks is set by the chart; write admission.frameworks, which also " +
				"has the webhook asked about their objects"},
		{"repairs of what nobody labels",
			`{repair: {enabled: true}, config: {controller: {repair: {enabled: false}}}}`,
			"repair.enabled is true, but config.controller.repair.enabled is false, so no node would have " +
				"the label that the templates select; leave out the latter"},
		{"an accelerator that nobody has", `tests: {accelerator: P100}`,
			`tests.accelerator is "P100", which is not in the catalogue; write one of V100, A100, ` +
				`A30, MN-Core, MN-Core2, H100, H200, B200, L4, L40S, T4, GH200, MI210, MI250, MI300X, ` +
				`TPU-v4, TPU-v5e, TPU-v5p, TPU-v6e, Gaudi, Ascend910, Ascend310P`},
		{"a pool of what nobody has", `probe: {pools: {v100: {accelerators: [v100]}}}`,
			`probe.pools.v100.accelerators has "v100", which is not in the catalogue; write one of V100, A100, `},
		{"a pool whose name is none", `probe: {pools: {V_100: {accelerators: [V100]}}}`,
			`probe.pools has "V_100", which is no name for a DaemonSet; write at most 57 characters: small letters, ` +
				`digits and, between them, -`},
		{"a pool whose name ends with what is between", `probe: {pools: {v100-: {accelerators: [V100]}}}`,
			`probe.pools has "v100-", which is no name for a DaemonSet`},
		{"a pool whose name is too long", `probe: {pools: {` + strings.Repeat("v", 58) + `: {accelerators: [V100]}}}`,
			`probe.pools has "` + strings.Repeat("v", 58) + `", which is no name for a DaemonSet`},
		{"nodes with two detectors",
			`probe: {enabled: true, pools: {a: {accelerators: [V100, A100]}, b: {accelerators: [A30, A100]}}}`,
			"probe.pools.a and probe.pools.b both have A100, so two detectors would contradict each other on its " +
				"nodes; leave it out of one"},
		{"labels that select Berth's objects", `podLabels: {app.kubernetes.io/name: trainer}`,
			"podLabels has app.kubernetes.io/name, which the chart's selectors use; leave it out"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := installation{values: c.values}.refused(t)
			if !strings.Contains(got, "- "+c.want) {
				t.Errorf("says\n%s\nwant\n%s", got, c.want)
			}
		})
	}
}

// What probes, Services and volumes rest on is not for the value config to change.
func TestFieldsOfTheChartAreRefused(t *testing.T) {
	for _, c := range []struct{ field, config string }{
		{"apiVersion", `apiVersion: config.berth.dev/v1alpha1`},
		{"kubernetes", `kubernetes: {kubeconfig: /etc/kubeconfig}`},
		{"extender.listen", `extender: {listen: ":443"}`},
		{"extender.insecureLoopback", `extender: {insecureLoopback: true}`},
		{"admission.tls", `admission: {tls: {certFile: a, keyFile: b}}`},
		{"metrics.listen", `metrics: {listen: ":80"}`},
		{"controller.lease", `controller: {lease: {name: mine}}`},
		{"controller.certificates.servers", `controller: {certificates: {servers: [{secret: mine}]}}`},
		{"controller.certificates.clients", `controller: {certificates: {clients: [{secret: mine, name: me}]}}`},
		{"grpc.tls", `grpc: {tls: {certFile: a, keyFile: b, clientCAFile: c}}`},
	} {
		t.Run(c.field, func(t *testing.T) {
			want := "- config." + c.field + " is set by the chart; leave it out"
			got := installation{values: "config: {" + c.config + "}"}.refused(t)
			if !strings.Contains(got, want) {
				t.Errorf("says %s, want %q", got, want)
			}
		})
	}
}

func TestAllContradictionsAreToldAtOnce(t *testing.T) {
	i := installation{values: `{extender: {enabled: false}, tests: {accelerator: P100}}`}
	if got := i.refused(t); strings.Count(got, "\n- ") != 2 {
		t.Errorf("says %s, want two contradictions", got)
	}
}

func TestLongReleaseNamesAreRefused(t *testing.T) {
	long := strings.Repeat("m", 48)
	got := installation{name: long}.refused(t)
	if !strings.Contains(got, "write one of at most 47 characters") {
		t.Errorf("says %s", got)
	}
	installation{name: long[1:]}.render(t)
}

// The schema's messages are Helm's; they name the field.
func TestTypingErrorsAreRefusedByTheSchema(t *testing.T) {
	for _, c := range []struct{ values, want string }{
		{`replicas: 3`, "additional properties 'replicas' not allowed"},
		{`scheduler: {replicas: 0}`, "at '/scheduler/replicas': minimum: got 0, want 1"},
		{`scheduler: {percentageOfNodesToScore: 101}`,
			"at '/scheduler/percentageOfNodesToScore': maximum: got 101, want 100"},
		{`scheduler: {podMaxBackoffSeconds: 0}`, "at '/scheduler/podMaxBackoffSeconds': minimum: got 0, want 1"},
		{`admission: {defaultMode: enforced}`, "at '/admission/defaultMode': value must be one of"},
		{`admission: {frameworks: [jobsets]}`, "at '/admission/frameworks/0': value must be one of 'jobset'"},
		{`config: {healt: {}}`, "at '/config': additional properties 'healt' not allowed"},
		{`config: {health: {conditions: [{type: X, effect: Forbid}]}}`,
			"at '/config/health/conditions/0/effect': value must be one of 'Exclude', 'Penalize'"},
		{`config: {health: {conditions: [{type: X}]}}`, "missing property 'effect'"},
		{`config: {scheduling: {policies: {health: {weight: heavy}}}}`,
			"at '/config/scheduling/policies/health/weight': got string, want integer"},
		{`config: {accelerators: [{name: V100, resource: r, memory: 32GB}]}`,
			"at '/config/accelerators/0/memory': '32GB' does not match pattern"},
		{`extender: {resources: {limits: {cpu: 1}}}`, "additional properties 'limits' not allowed"},
		{`probe: {pools: {v100: {flags: ["gpu-lost:expect=8"]}}}`,
			"at '/probe/pools/v100': missing property 'accelerators'"},
		{`probe: {pools: {v100: {accelerators: []}}}`,
			"at '/probe/pools/v100/accelerators': minItems: got 0, want 1"},
		{`probe: {pools: {v100: {accelerators: [V100], flag: ["gpu-lost:expect=8"]}}}`,
			"at '/probe/pools/v100': additional properties 'flag' not allowed"},
		{`probe: {pools: {v100: {accelerators: [V100], flags: ["expect=8"]}}}`,
			"at '/probe/pools/v100/flags/0': 'expect=8' does not match pattern"},
	} {
		t.Run(c.values, func(t *testing.T) {
			if got := (installation{values: c.values}).refused(t); !strings.Contains(got, c.want) {
				t.Errorf("says %s, want %q", got, c.want)
			}
		})
	}
}
