//go:build long

package install

import (
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

const gangGate = "berth.dev/gang"

var planningGangs = values{"config": values{"planner": values{"gangs": values{"enabled": true}}}}

// No scheduler ever looks at a pod that keeps its gate.
func TestGatesGoWhenGangsAreSwitchedOff(t *testing.T) {
	w := release(t, planningGangs)
	team := w.waitingGang()
	w.upgrade(nil)
	w.awaitNone("pods with a gate", func() []string { return w.gated(team) })
}

func TestGatesGoWithTheRelease(t *testing.T) {
	w := release(t, planningGangs)
	team := w.waitingGang()
	w.uninstall()
	// Helm has waited for the hook that removes them.
	if left := w.gated(team); len(left) > 0 {
		t.Errorf("pods with a gate: %v", left)
	}
	w.awaitNone("objects of the release", w.leftovers)
}

func TestGatesGoByHand(t *testing.T) {
	w := release(t, planningGangs)
	team := w.waitingGang()
	if said := w.berth("release", "--dry-run", team+"/half"); !strings.Contains(said, "would remove") {
		t.Errorf("the dry run says %s", said)
	}
	if left := w.gated(team); len(left) != 1 {
		t.Errorf("after the dry run these have a gate: %v", left)
	}
	w.berth("release", team+"/half")
	if left := w.gated(team); len(left) > 0 {
		t.Errorf("pods with a gate: %v", left)
	}
}

// waitingGang makes a namespace with one pod of a gang of two, for which the controller waits.
func (w *world) waitingGang() string {
	w.Helper()
	team := w.team("warn")
	pod := decentPod()
	pod.Spec.SchedulerName = "berth"
	pod.Annotations = map[string]string{"berth.dev/gang-name": "half", "berth.dev/gang-size": "2"}
	pod.Spec.SchedulingGates = []corev1.PodSchedulingGate{{Name: gangGate}}
	_, err := shared.Client.CoreV1().Pods(team).Create(w.Context(), pod, metav1.CreateOptions{})
	w.Check("create a pod of a gang", err)
	w.Await("the controller to wait for the rest of the gang", func() bool {
		return slices.ContainsFunc(w.pods(team, ""), func(p corev1.Pod) bool {
			return slices.ContainsFunc(p.Status.Conditions, func(c corev1.PodCondition) bool {
				return c.Type == gangGate && strings.Contains(c.Message, "1 of 2 pods are there")
			})
		})
	})
	return team
}

// gated are the pods that have the gate of gangs.
func (w *world) gated(namespace string) []string {
	w.Helper()
	var names []string
	for _, pod := range w.pods(namespace, "") {
		if slices.ContainsFunc(pod.Spec.SchedulingGates,
			func(g corev1.PodSchedulingGate) bool { return g.Name == gangGate }) {
			names = append(names, pod.Name)
		}
	}
	return names
}
