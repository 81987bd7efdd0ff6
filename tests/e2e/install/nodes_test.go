package install

import (
	"context"
	"encoding/json"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"berth.dev/berth/tests/e2e/fleet"
)

const (
	acceleratorLabel = "berth.dev/accelerator"
	memoryLabel      = "berth.dev/accelerator-memory"
)

// v100Node is the name of a node with V100.
func v100Node(index int) string { return fleet.Reference()[0].NodeName(index) }

// breakNode has a GPU of a node fall off the bus until the test ends.
func (w *world) breakNode(node string) {
	w.Helper()
	set := func(ctx context.Context, broken bool) error {
		return fleet.SetCondition(ctx, shared.Client, node, "GPUIsLost", broken)
	}
	w.Check("break "+node, set(w.Context(), true))
	w.Cleanup(func() { _ = set(context.Background(), false) })
}

// label gives a node Berth's label; nil takes it off.
func (w *world) label(node string, value any) {
	w.Helper()
	patch, err := json.Marshal(values{"metadata": values{"labels": values{acceleratorLabel: value}}})
	w.Check("label "+node, err)
	_, err = shared.Client.CoreV1().Nodes().Patch(w.Context(), node, types.MergePatchType, patch,
		metav1.PatchOptions{})
	w.Check("label "+node, err)
}

// acceleratorOf is the model of a node by Berth's label, empty where it has none.
func (w *world) acceleratorOf(node string) string {
	w.Helper()
	return w.labelOf(node, acceleratorLabel)
}

func (w *world) labelOf(node, name string) string {
	w.Helper()
	got, err := shared.Client.CoreV1().Nodes().Get(w.Context(), node, metav1.GetOptions{})
	w.Check("get "+node, err)
	return got.Labels[name]
}
