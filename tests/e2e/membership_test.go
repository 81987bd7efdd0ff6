package e2e

import (
	"context"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"berth.dev/berth/tests/e2e/fleet"
)

func TestNodeThatJoinsIsUsed(t *testing.T) {
	w := fresh(t)
	w.controllers(1, nil) // kube-scheduler may retry before Berth knows of the node
	for range nodesPerPool {
		w.place(gpus(6, "A30"))
	}
	pod := gpus(1, "A30")
	w.refused(pod)
	joined := w.join("mn2b-a30")
	if node := w.placed(pod); node != joined {
		t.Errorf("the pod is on %s, want %s, which has just joined", node, joined)
	}
}

// join adds one more node to a pool for the rest of the test.
func (w *world) join(pool string) string {
	w.Helper()
	for _, p := range fleet.Small(nodesPerPool + 1) {
		if p.Name != pool {
			continue
		}
		nodes := fleet.Nodes([]fleet.Pool{p}, time.Now())
		last := nodes[len(nodes)-1]
		api := w.box.Client.CoreV1().Nodes()
		_, err := api.Create(w.Context(), last, metav1.CreateOptions{})
		w.Check("join "+last.Name, err)
		w.Cleanup(func() { // after the test its context has ended
			_ = api.Delete(context.Background(), last.Name, metav1.DeleteOptions{})
		})
		return last.Name
	}
	w.Fatalf("there is no pool %s", pool)
	return ""
}
