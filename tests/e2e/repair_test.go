package e2e

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

const (
	repairLabel    = "berth.dev/repair"
	operatingTaint = "nodeops.k8s.preferred.jp/operating"
)

// Of four nodes one may be away. The second that breaks stops all repairs but the one under way.
func TestBrokenNodesMayBeRepairedUntilTooManyAreAway(t *testing.T) {
	w := fresh(t)
	w.controllers(1, map[string]any{"controller": map[string]any{
		"repair": map[string]any{"enabled": true, "maxShare": 0.25}}})
	nodes := nodesOf("mn2a")
	w.breaks("GPUIsLost", "Exclude", nodes[0])
	w.awaitRepair(nodes[0], "allowed")

	w.untaintAfterwards(nodes[:1])
	w.Check("begin a repair", w.setTaints(t.Context(), nodes[0],
		`[{"key":"`+operatingTaint+`","effect":"NoSchedule"}]`))
	w.breaks("DStateProcess", "Exclude", nodes[1])
	// The repair has failed: the node is broken, and nobody works on it.
	w.Check("end the repair", w.setTaints(t.Context(), nodes[0], "null"))
	w.awaitRepair(nodes[0], "")

	w.repairs("GPUIsLost", nodes[0])
	w.awaitRepair(nodes[1], "allowed")
	w.repairs("DStateProcess", nodes[1])
	w.awaitRepair(nodes[1], "")
}

func (w *world) awaitRepair(node, want string) {
	w.Helper()
	w.Await(node+" to have the label "+want, func() bool {
		got, err := w.box.Client.CoreV1().Nodes().Get(w.Context(), node, metav1.GetOptions{})
		w.Check("get "+node, err)
		return got.Labels[repairLabel] == want
	})
}
