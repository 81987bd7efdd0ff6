package e2e

import (
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"berth.dev/berth/tests/e2e/box"
	"berth.dev/berth/tests/e2e/fleet"
)

// A site has detectors of its own, and may want to wait before it believes them.
func TestConditionsOfTheConfiguration(t *testing.T) {
	b, err := startBox(t.Context(), &box.BerthOptions{Config: map[string]any{
		"health": map[string]any{"conditions": []map[string]any{
			{"type": "KernelDeadlock", "effect": "Exclude", "minDuration": "1h"},
		}},
	}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(b.Stop)
	w := &world{T: t, box: b}
	pool := nodesOf("mn3")
	w.deadlock(pool[0], time.Minute)
	for _, node := range pool[1:] {
		w.deadlock(node, 2*time.Hour)
	}
	w.awaitEffect("KernelDeadlock", "Exclude", 3)
	if node := w.place(mnCores(4)); node != pool[0] {
		t.Errorf("the pod is on %s, want %s, where the condition is too young to count", node, pool[0])
	}
	message := w.refused(mnCores(4))
	if want := "3 node(s) had condition KernelDeadlock"; !strings.Contains(message, want) {
		t.Errorf("event %q, want %q in it", message, want)
	}
}

// deadlock puts KernelDeadlock on a node as if it had been there for so long.
func (w *world) deadlock(node string, age time.Duration) {
	w.Helper()
	w.check("patch", fleet.PatchCondition(w.Context(), w.box.Client, node, corev1.NodeCondition{
		Type: "KernelDeadlock", Status: corev1.ConditionTrue, Reason: "TaskHung",
		LastTransitionTime: metav1.NewTime(time.Now().Add(-age)), LastHeartbeatTime: metav1.Now(),
	}))
}
