package chart

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/selection"
)

// mixedCluster has the probes know how many accelerators the nodes of each kind have.
const mixedCluster = `
probe:
  enabled: true
  image: {repository: registry.example/berth-probe}
  pools:
    v100: {accelerators: [V100], flags: ["gpu-lost:expect=8"]}
    a100: {accelerators: [A100], flags: ["gpu-lost:expect=4"]}
    a30: {accelerators: [A30], flags: ["gpu-lost:expect=6"]}
    mn-core:
      accelerators: [MN-Core]
      flags: ["*:vendor=0x1234", "gpu-lost:expect=4"]   # the vendor that lspci -n shows on such a node
      nvidiaRoot: ""
`

func TestTheDocumentShowsAMixedCluster(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(repoRoot(t), "docs", "probe.md"))
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(text), "```yaml"+mixedCluster+"```") {
		t.Error("docs/probe.md shows something else than mixedCluster")
	}
}

// asksFor tells whether the DaemonSet's pods may run on a node with these labels.
func asksFor(t *testing.T, set *appsv1.DaemonSet, node labels.Set) bool {
	t.Helper()
	required := set.Spec.Template.Spec.Affinity.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution
	return slices.ContainsFunc(required.NodeSelectorTerms, func(term corev1.NodeSelectorTerm) bool {
		selector := labels.NewSelector()
		for _, e := range term.MatchExpressions {
			operator := selection.Operator(strings.ToLower(string(e.Operator)))
			requirement, err := labels.NewRequirement(e.Key, operator, e.Values)
			if err != nil {
				t.Fatal(err)
			}
			selector = selector.Add(*requirement)
		}
		return selector.Matches(node)
	})
}

// detectorsOn are the names of the DaemonSets whose pods run on a node with these labels.
func detectorsOn(t *testing.T, r *release, node labels.Set) []string {
	t.Helper()
	var names []string
	for _, set := range all[*appsv1.DaemonSet](r) {
		if asksFor(t, set, node) {
			names = append(names, set.Name)
		}
	}
	return names
}

// None looks for what other nodes have, and two on a node would contradict each other.
func TestEachNodeHasTheProbesOfItsPool(t *testing.T) {
	r := render(t, mixedCluster)
	for _, c := range []struct{ accelerator, set string }{
		{"V100", "berth-probe-v100"}, {"A100", "berth-probe-a100"}, {"A30", "berth-probe-a30"},
		{"MN-Core", "berth-probe-mn-core"}, {"MN-Core2", "berth-probe"}, {"H100", "berth-probe"},
	} {
		node := labels.Set{"berth.dev/accelerator": c.accelerator}
		if got := detectorsOn(t, r, node); !slices.Equal(got, []string{c.set}) {
			t.Errorf("a node with %s has %v, want %s", c.accelerator, got, c.set)
		}
	}
	if got := detectorsOn(t, r, labels.Set{"kubernetes.io/os": "linux"}); len(got) > 0 {
		t.Errorf("a node without accelerators has %v", got)
	}
}

func TestPoolsFollowThePrefix(t *testing.T) {
	r := render(t, mixedCluster+"config: {prefix: ml.example.com}")
	for accelerator, want := range map[string]string{"A30": "berth-probe-a30", "H100": "berth-probe"} {
		node := labels.Set{"ml.example.com/accelerator": accelerator}
		if got := detectorsOn(t, r, node); !slices.Equal(got, []string{want}) {
			t.Errorf("a node with %s has %v, want %s", accelerator, got, want)
		}
	}
}

// flagsOf are the flags that `berth probe config` gets of a DaemonSet, less those of the chart.
func flagsOf(set *appsv1.DaemonSet) []string {
	var flags []string
	arguments := set.Spec.Template.Spec.InitContainers[0].Args
	for i, argument := range arguments {
		if argument == "--flag" && !strings.Contains(arguments[i+1], "root=") {
			flags = append(flags, arguments[i+1])
		}
	}
	return flags
}

func TestPoolsHaveFlagsOfTheirOwn(t *testing.T) {
	r := render(t, mixedCluster)
	for name, want := range map[string][]string{
		"berth-probe": nil, "berth-probe-v100": {"gpu-lost:expect=8"},
		"berth-probe-a100": {"gpu-lost:expect=4"}, "berth-probe-a30": {"gpu-lost:expect=6"},
		"berth-probe-mn-core": {"gpu-lost:nvidia-smi=", "*:vendor=0x1234", "gpu-lost:expect=4"},
	} {
		set := named[*appsv1.DaemonSet](r, name)
		if got := flagsOf(set); !slices.Equal(got, want) {
			t.Errorf("%s has the flags %v, want %v", name, got, want)
		}
		configure(t, set)
	}
	mnCore := named[*appsv1.DaemonSet](r, "berth-probe-mn-core").Spec.Template.Spec
	if slices.ContainsFunc(mnCore.Volumes, func(v corev1.Volume) bool { return v.Name == "nvidia" }) {
		t.Errorf("on MN-Core's nodes the pod has volumes %v", mnCore.Volumes)
	}
}

// Empty is not left out.
func TestPoolsTakeWhatTheyLeaveOut(t *testing.T) {
	r, others := probeOf(t, `
  probes: [gpu-lost, nic], flags: ["*:timeout=30s"], nvidiaRoot: /run/nvidia/driver, interval: 2m,
  pools: {same: {accelerators: [V100]}, none: {accelerators: [A100], flags: []},
    fewer: {accelerators: [A30], probes: [nic]}, gone: null}`)
	if sets := all[*appsv1.DaemonSet](r); len(sets) != 4 {
		t.Errorf("the chart installs %d DaemonSets, want those of three pools and the others'", len(sets))
	}
	want := others.Spec.Template.Spec.DeepCopy()
	same := named[*appsv1.DaemonSet](r, "berth-probe-same").Spec.Template.Spec.DeepCopy()
	want.Affinity, same.Affinity = nil, nil
	if !equality.Semantic.DeepEqual(same, want) {
		t.Errorf("a pool that says nothing has\n%+v\nthe other nodes\n%+v", same, want)
	}
	if got := flagsOf(named[*appsv1.DaemonSet](r, "berth-probe-none")); len(got) > 0 {
		t.Errorf("a pool without flags has %v", got)
	}
	fewer := named[*appsv1.DaemonSet](r, "berth-probe-fewer")
	files, err := filepath.Glob(filepath.Join(configure(t, fewer), "*.json"))
	if err != nil || len(files) != 1 || filepath.Base(files[0]) != "nic.json" {
		t.Errorf("a pool with one probe has %v, %v", files, err)
	}
}

// Where selectors overlap, a DaemonSet adopts pods that another one has left.
func TestDaemonSetsSelectTheirOwnPodsAlone(t *testing.T) {
	forEach(t, func(t *testing.T, r *release) {
		pods := map[string]labels.Set{}
		for name, pod := range podsOf(r) {
			pods[name] = pod.Labels
		}
		sets := all[*appsv1.DaemonSet](r)
		for _, set := range sets {
			pods[set.Name] = set.Spec.Template.Labels
		}
		for _, set := range sets {
			selector, err := metav1.LabelSelectorAsSelector(set.Spec.Selector)
			if err != nil {
				t.Fatal(err)
			}
			for name, of := range pods {
				if selector.Matches(of) != (name == set.Name) {
					t.Errorf("%s selects the pods of %s: %t", set.Name, name, name != set.Name)
				}
			}
		}
	})
}

// A DaemonSet's selector cannot be changed.
func TestPoolsLeaveTheSelectorOfTheOthers(t *testing.T) {
	_, before := probeOf(t, "")
	after := named[*appsv1.DaemonSet](render(t, mixedCluster), "berth-probe")
	want := map[string]string{"app.kubernetes.io/name": "berth", "app.kubernetes.io/instance": "berth",
		"app.kubernetes.io/component": "probe"}
	for _, set := range []*appsv1.DaemonSet{before, after} {
		if got := set.Spec.Selector; !maps.Equal(got.MatchLabels, want) || len(got.MatchExpressions) > 0 {
			t.Errorf("the selector is %v, want %v", got, want)
		}
	}
}

// It says which nodes count at all, in any of its terms.
func TestPoolsKeepToAnAffinityOfOnesOwn(t *testing.T) {
	terms := `[{matchExpressions: [{key: rack, operator: In, values: [r1]}]}, {matchExpressions: ` +
		`[{key: berth.dev/accelerator, operator: Exists}, {key: rack, operator: In, values: [r2]}]}]`
	r, others := probeOf(t, `pools: {v100: {accelerators: [V100]}}, affinity: {nodeAffinity: `+
		`{requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: `+terms+`}}}`)
	for _, c := range []struct {
		rack, accelerator string
		want              []string
	}{
		{"r1", "V100", []string{"berth-probe-v100"}}, {"r2", "V100", []string{"berth-probe-v100"}},
		{"r1", "A100", []string{others.Name}}, {"r2", "A100", []string{others.Name}},
		{"r3", "V100", nil}, {"r3", "A100", nil},
	} {
		node := labels.Set{"rack": c.rack, "berth.dev/accelerator": c.accelerator}
		if got := detectorsOn(t, r, node); !slices.Equal(got, c.want) {
			t.Errorf("a node of %s with %s has %v, want %v", c.rack, c.accelerator, got, c.want)
		}
	}
	r, others = probeOf(t, `pools: {v100: {accelerators: [V100]}}, affinity: {podAffinity: {}}`)
	for accelerator, want := range map[string]string{"V100": "berth-probe-v100", "A100": others.Name} {
		node := labels.Set{"berth.dev/accelerator": accelerator}
		if got := detectorsOn(t, r, node); !slices.Equal(got, []string{want}) {
			t.Errorf("a node with %s has %v, want %s", accelerator, got, want)
		}
	}
}

// They are the same program with the same rights.
func TestPoolsShareAnAccount(t *testing.T) {
	r := render(t, mixedCluster)
	if sets := all[*appsv1.DaemonSet](r); len(sets) != 5 {
		t.Errorf("the chart installs %d DaemonSets, want those of four pools and the others'", len(sets))
	}
	for _, set := range all[*appsv1.DaemonSet](r) {
		if got := set.Spec.Template.Spec.ServiceAccountName; got != "berth-probe" {
			t.Errorf("%s has the account %s", set.Name, got)
		}
	}
	named[*corev1.ServiceAccount](r, "berth-probe")
}
