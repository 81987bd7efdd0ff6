package e2e

import (
	"os"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"

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
	w := newWorld(t, b)
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

// The devices that pods hold are counted under the new name, and no pod is placed by the old one.
func TestAcceleratorRenamedWhileItsPodsRun(t *testing.T) {
	b, err := startBox(t.Context(), &box.BerthOptions{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(b.Stop)
	w := newWorld(t, b)
	first := w.place(gpus(1, "A30"))
	w.expectOn("mn2b-a30", first)

	w.configure("accelerators", []any{map[string]any{
		"name": "A30-24GB", "resource": fleet.ResourceGPU,
		"nodes": []any{map[string]any{"label": fleet.LabelProduct, "matches": "A30"}},
	}})
	w.Await("the pod's device to be counted under the new name", func() bool {
		return w.metric("berth_accelerator_devices", `accelerator="A30-24GB"`, `state="used"`) == 1
	})
	if node := w.place(gpus(1, "A30-24GB")); node != first {
		t.Errorf("the second pod is on %s, want it to fill %s", node, first)
	}
	message := w.refused(gpus(1, "A30"))
	if want := "names a model that Berth's catalogue lacks"; !strings.Contains(message, want) {
		t.Errorf("event %q, want %q in it", message, want)
	}
}

// configure gives a key at the top of Berth's configuration another value while Berth runs. The
// file is replaced as a whole, as kubelet does it.
func (w *world) configure(key string, value any) {
	w.Helper()
	file := w.box.Berth.ConfigFile
	content, err := os.ReadFile(file)
	w.Check("read the configuration", err)
	var config map[string]any
	w.Check("parse the configuration", yaml.Unmarshal(content, &config))
	config[key] = value
	content, err = yaml.Marshal(config)
	w.Check("word the configuration", err)
	w.Check("write the configuration", os.WriteFile(file+".new", content, 0o600))
	w.Check("replace the configuration", os.Rename(file+".new", file))
}

// deadlock puts KernelDeadlock on a node as if it had been there for so long.
func (w *world) deadlock(node string, age time.Duration) {
	w.Helper()
	w.Check("patch", fleet.PatchCondition(w.Context(), w.box.Client, node, corev1.NodeCondition{
		Type: "KernelDeadlock", Status: corev1.ConditionTrue, Reason: "TaskHung",
		LastTransitionTime: metav1.NewTime(time.Now().Add(-age)), LastHeartbeatTime: metav1.Now(),
	}))
}
