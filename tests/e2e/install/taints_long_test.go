//go:build long

package install

import (
	"fmt"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

var tainting = values{"config": values{"controller": values{"taints": true}}}

// A taint that nobody takes away would keep pods off a node for ever.
func TestTaintsGoWhenTheyAreSwitchedOff(t *testing.T) {
	w := release(t, tainting)
	w.breakNode(v100Node(0))
	w.awaitTainted(v100Node(0))
	w.upgrade(nil)
	w.awaitTainted()
}

func TestTaintsGoWithTheRelease(t *testing.T) {
	w := release(t, tainting)
	w.breakNode(v100Node(0))
	w.awaitTainted(v100Node(0))
	w.uninstall()
	// Helm has waited for the hook that removes them.
	if left := w.tainted(); len(left) > 0 {
		t.Errorf("nodes with a taint: %v", left)
	}
	w.awaitNone("objects of the release", w.leftovers)
}

// awaitTainted waits until exactly these nodes have Berth's taint.
func (w *world) awaitTainted(want ...string) {
	w.Helper()
	w.Await(fmt.Sprintf("the tainted nodes %v", want), func() bool {
		return fmt.Sprint(w.tainted()) == fmt.Sprint(want)
	})
}

// tainted are the nodes with Berth's taint.
func (w *world) tainted() []string {
	w.Helper()
	nodes, err := shared.Client.CoreV1().Nodes().List(w.Context(), metav1.ListOptions{})
	w.Check("list nodes", err)
	var names []string
	for _, node := range nodes.Items {
		for _, taint := range node.Spec.Taints {
			if taint.Key == "berth.dev/excluded" && taint.Effect == corev1.TaintEffectNoSchedule {
				names = append(names, node.Name)
			}
		}
	}
	return names
}
