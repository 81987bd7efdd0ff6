package e2e

import (
	"context"
	"fmt"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	schedulerconfig "k8s.io/kube-scheduler/config/v1"

	"berth.dev/berth/tests/e2e/fleet"
)

const (
	excludedTaint = "berth.dev/excluded"
	taintedPool   = "mn2b-a30"
	untolerated   = "node(s) had untolerated taint"
)

// tainting has a controller taint every node that is excluded, however many of a pool they are.
var tainting = map[string]any{
	"controller": map[string]any{"taints": true},
	"health":     map[string]any{"breaker": map[string]any{"fraction": 1}},
}

// taints are the values of Berth's taint by node; nodes without it are left out.
func (w *world) taints() map[string]string {
	w.Helper()
	nodes, err := w.box.Client.CoreV1().Nodes().List(w.Context(), metav1.ListOptions{})
	w.Check("list nodes", err)
	taints := map[string]string{}
	for _, node := range nodes.Items {
		for _, taint := range node.Spec.Taints {
			if taint.Key == excludedTaint && taint.Effect == corev1.TaintEffectNoSchedule {
				taints[node.Name] = taint.Value
			}
		}
	}
	return taints
}

func (w *world) awaitTaints(want map[string]string) {
	w.Helper()
	w.Await(fmt.Sprintf("the taints %v", want), func() bool {
		return fmt.Sprint(w.taints()) == fmt.Sprint(want)
	})
}

// withoutBerth has kube-scheduler ask nobody until the test ends.
func (w *world) withoutBerth() {
	w.Helper()
	w.Check("configure kube-scheduler", w.box.ReconfigureScheduler(w.Context(),
		func(config *schedulerconfig.KubeSchedulerConfiguration) { config.Extenders = nil }))
	w.Cleanup(func() { _ = w.box.ReconfigureScheduler(context.Background(), nil) })
}

// ofPool makes a pod that may run on the nodes of one pool alone.
func ofPool(pool string) *corev1.Pod {
	pod := gpus(1)
	pod.Spec.NodeSelector = map[string]string{fleet.LabelPool: pool}
	return pod
}

// Another scheduler knows nothing of Berth's rules, and places pods on broken nodes; but it respects
// taints, and hears when they go.
func TestExcludedNodesAreRefusedBySchedulersWithoutBerth(t *testing.T) {
	w := fresh(t)
	w.withoutBerth()
	nodes := nodesOf(taintedPool)
	w.untaintAfterwards(nodes)
	w.controllers(1, tainting)
	want := map[string]string{}
	for _, node := range nodes {
		want[node] = "GPUIsLost"
	}
	w.breaks("GPUIsLost", "Exclude", nodes...)
	w.awaitTaints(want)
	w.Await("the extender to count them", func() bool {
		return w.metric("berth_nodes_tainted") == float64(len(nodes))
	})
	pod := ofPool(taintedPool)
	if why := w.refused(pod); !strings.Contains(why, untolerated) {
		t.Errorf("refused because %s", why)
	}
	w.repairs("GPUIsLost", nodes[1])
	if node := w.placed(pod); node != nodes[1] {
		t.Errorf("placed on %s, want %s", node, nodes[1])
	}
	w.repairs("GPUIsLost", nodes...)
	w.awaitTaints(map[string]string{})
}

// Of the pools of four nodes, none loses more than half.
func TestTaintsStayAShareOfAPoolAndGoWhenTheyAreSwitchedOff(t *testing.T) {
	w := fresh(t)
	nodes := nodesOf(taintedPool)
	w.untaintAfterwards(nodes)
	first := w.controllers(1, map[string]any{"controller": map[string]any{"taints": true}})[0]
	theirs := `[{"key":"example.com/theirs","effect":"PreferNoSchedule"}]`
	w.Check("taint "+nodes[0], w.setTaints(t.Context(), nodes[0], theirs))
	w.breaks("GPUIsLost", "Exclude", nodes...)
	w.Await("two tainted nodes", func() bool { return len(w.taints()) == len(nodes)/2 })
	first.Stop()
	w.controllers(1, nil)
	w.awaitTaints(map[string]string{})
	node, err := w.box.Client.CoreV1().Nodes().Get(t.Context(), nodes[0], metav1.GetOptions{})
	w.Check("get "+nodes[0], err)
	if len(node.Spec.Taints) != 1 || node.Spec.Taints[0].Key != "example.com/theirs" {
		t.Errorf("the taints of %s are %v", node.Name, node.Spec.Taints)
	}
}

// untaintAfterwards takes all taints off the nodes when the test ends.
func (w *world) untaintAfterwards(nodes []string) {
	w.Cleanup(func() {
		for _, node := range nodes {
			_ = w.setTaints(context.Background(), node, "null")
		}
	})
}

// setTaints gives a node the taints, in JSON, in place of those that it has.
func (w *world) setTaints(ctx context.Context, node, taints string) error {
	_, err := w.box.Client.CoreV1().Nodes().Patch(ctx, node, types.MergePatchType,
		[]byte(`{"spec":{"taints":`+taints+`}}`), metav1.PatchOptions{})
	return err
}
