package e2e

import (
	"fmt"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"berth.dev/berth/tests/e2e/box"
)

// zone is a label by which pods want to be spread.
const zone = "e2e.berth.dev/zone"

// To Berth all empty nodes of a model are the same, and a shortlist of one is one of them by
// chance: only kube-scheduler knows that one of them is in another zone.
func TestShortlistLeavesSpreadingToKubeScheduler(t *testing.T) {
	b, err := startBox(t.Context(), &box.BerthOptions{Config: map[string]any{
		"extender": map[string]any{"shortlist": map[string]any{"size": 1}},
	}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(b.Stop)
	w := newWorld(t, b)
	shortened := func() float64 { return w.metric("berth_shortlist_total", `outcome="short"`) }
	for _, pool := range []struct {
		name, model string
		devices     int64 // of a node
	}{{"mn2a", "V100", 8}, {"mn2b-a30", "A30", 6}, {"mn2b-a100", "A100", 4}} {
		nodes := nodesOf(pool.name)
		w.label(nodes[0], zone, "far")
		for _, node := range nodes[1:] {
			w.label(node, zone, "near")
		}
		first := spreading(gpus(pool.devices, pool.model), pool.name)
		first.Spec.NodeSelector = map[string]string{zone: "near"}
		w.place(first)
		before := shortened()
		second := spreading(gpus(pool.devices, pool.model), pool.name)
		if node := w.place(second); node != nodes[0] {
			t.Errorf("the second pod is on %s, want it on %s, alone in its zone", node, nodes[0])
		}
		if more := shortened() - before; more != 0 {
			t.Errorf("%v answers about a pod that kube-scheduler spreads were shortened", more)
		}
		w.place(gpus(pool.devices, pool.model))
		if shortened() != before+1 {
			t.Error("the answer about a pod that nobody spreads was not shortened")
		}
	}
}

// spreading has a pod prefer zones with few pods of its group.
func spreading(pod *corev1.Pod, group string) *corev1.Pod {
	pod.Labels = map[string]string{"spread": group}
	pod.Spec.TopologySpreadConstraints = []corev1.TopologySpreadConstraint{{
		MaxSkew: 1, TopologyKey: zone, WhenUnsatisfiable: corev1.ScheduleAnyway,
		LabelSelector: &metav1.LabelSelector{MatchLabels: pod.Labels},
	}}
	return pod
}

func (w *world) label(node, key, value string) {
	w.Helper()
	_, err := w.box.Client.CoreV1().Nodes().Patch(w.Context(), node, types.MergePatchType,
		fmt.Appendf(nil, `{"metadata": {"labels": {%q: %q}}}`, key, value), metav1.PatchOptions{})
	w.Check("label "+node, err)
}
