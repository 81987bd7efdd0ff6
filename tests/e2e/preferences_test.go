package e2e

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

func (w *world) expectOn(pool, node string) {
	w.Helper()
	if !slices.Contains(nodesOf(pool), node) {
		w.Errorf("the pod is on %s, want a node of %s", node, pool)
	}
}

func TestOrderOfPreferences(t *testing.T) {
	cases := []struct {
		models []string
		pools  []string // of the models
		whole  int64    // devices of a node of the first
	}{
		{[]string{"A100", "V100"}, []string{"mn2b-a100", "mn2a"}, 4},
		{[]string{"V100", "A100"}, []string{"mn2a", "mn2b-a100"}, 8},
		{[]string{"A30", "A100", "V100"}, []string{"mn2b-a30", "mn2b-a100", "mn2a"}, 6},
	}
	for _, c := range cases {
		t.Run(strings.Join(c.models, " then "), func(t *testing.T) {
			w := fresh(t)
			w.expectOn(c.pools[0], w.place(gpus(1, c.models...)))
			w.place(gpus(c.whole-1, c.models[0]))
			for range nodesPerPool - 1 {
				w.place(gpus(c.whole, c.models[0]))
			}
			w.expectOn(c.pools[1], w.place(gpus(1, c.models...))) // the first are full
		})
	}
}

func TestNamedModelIsARequirement(t *testing.T) {
	w := fresh(t)
	for range nodesPerPool {
		w.expectOn("mn2b-a30", w.place(gpus(6, "A30")))
	}
	message := w.refused(gpus(1, "A30")) // although GPUs of other models are free
	for _, model := range []string{"V100", "A100"} {
		if want := "4 node(s) had accelerator " + model; !strings.Contains(message, want) {
			t.Errorf("event %q, want %q in it", message, want)
		}
	}
}

func TestMemoryMinimum(t *testing.T) {
	cases := []struct {
		name, memory, model, pool string
		devices                   int64
		fit                       int // nodes of the pool with enough memory
	}{
		{"only V100 with 32 GB", "32Gi", "V100", "mn2a", 8, 2},
		{"every V100", "16Gi", "V100", "mn2a", 8, 4},
		{"40 GB cards say 39538 MiB", "40Gi", "A100", "mn2b-a100", 4, 4},
		{"only A100 with 80 GB", "80Gi", "A100", "mn2b-a100", 4, 1},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			w := fresh(t)
			for range c.fit {
				w.expectOn(c.pool, w.place(gpusWith(c.memory, c.devices, c.model)))
			}
			message := w.refused(gpusWith(c.memory, c.devices, c.model))
			tooSmall := "less accelerator memory than the pod's minimum"
			if got, want := strings.Contains(message, tooSmall), c.fit < nodesPerPool; got != want {
				t.Errorf("event %q: speaks of memory: %v, want %v", message, got, want)
			}
		})
	}
}

func TestPodsWithoutWishesLeaveFastModelsFree(t *testing.T) {
	w := fresh(t)
	// Four GPUs would fill an A100 node, and leave gaps on the others.
	for _, slower := range []struct {
		pool string
		pods int
	}{{"mn2a", 2 * nodesPerPool}, {"mn2b-a30", nodesPerPool}, {"mn2b-a100", nodesPerPool}} {
		for range slower.pods {
			w.expectOn(slower.pool, w.place(gpus(4)))
		}
	}
}

const spare = "e2e.berth.dev/spare"

// startedSpare is an A100 node with one GPU in use that prefers to be left alone, as Berth knows.
func (w *world) startedSpare() string {
	w.Helper()
	node := w.place(gpus(1, "A100"))
	w.taint(node, spare)
	w.breaks("PCIeLinkDegraded", "Penalize", nodesOf("mn2a")[0]) // known later than the taint
	return node
}

func TestNodesWithPreferNoScheduleComeLast(t *testing.T) {
	w := fresh(t)
	started := w.startedSpare()
	if node := w.place(gpus(1, "A100")); node == started {
		t.Errorf("a pod fills %s up, although that prefers to be left alone", node)
	}
	w.place(gpus(3, "A100"))
	for range nodesPerPool - 2 {
		w.place(gpus(4, "A100"))
	}
	// Last is not never.
	if node := w.place(gpus(1, "A100")); node != started {
		t.Errorf("the pod is on %s, want it on %s, the only one with room", node, started)
	}
}

func TestToleratedPreferNoScheduleIsNoHindrance(t *testing.T) {
	w := fresh(t)
	started := w.startedSpare()
	pod := gpus(1, "A100")
	pod.Spec.Tolerations = append(pod.Spec.Tolerations,
		corev1.Toleration{Key: spare, Operator: corev1.TolerationOpExists})
	if node := w.place(pod); node != started {
		t.Errorf("the pod is on %s, want it to fill %s", node, started)
	}
}

// taint makes a node prefer not to be used, until the test ends.
func (w *world) taint(name, key string) {
	w.Helper()
	nodes := w.box.Client.CoreV1().Nodes()
	set := func(ctx context.Context, patch string) error {
		_, err := nodes.Patch(ctx, name, types.MergePatchType, []byte(patch), metav1.PatchOptions{})
		return err
	}
	w.Check("taint "+name, set(w.Context(), fmt.Sprintf(
		`{"spec": {"taints": [{"key": %q, "effect": "PreferNoSchedule"}]}}`, key)))
	w.Cleanup(func() {
		ctx := context.Background() // the test's own has ended
		w.Check("take the taint off "+name, set(ctx, `{"spec": {"taints": null}}`))
	})
}

func TestModelThatTheCatalogueLacksIsRefused(t *testing.T) {
	w := fresh(t)
	message := w.refused(gpus(1, "P100"))
	want := "12 pod annotation berth.dev/accelerators names a model that Berth's catalogue lacks"
	if !strings.Contains(message, want) {
		t.Errorf("event %q, want %q in it", message, want)
	}
}

func TestMNCore(t *testing.T) {
	w := fresh(t)
	w.expectOn("mn3", w.place(mnCores(1)))
	w.expectOn("mn3", w.place(mnCores(1, "MN-Core")))
	message := w.refused(mnCores(1, "V100"))
	if want := "pod asks for none of the resources of the models"; !strings.Contains(message, want) {
		t.Errorf("event %q, want %q in it", message, want)
	}
	w.breaks("DStateProcess", "Exclude", nodesOf("mn3")...)
	message = w.refused(mnCores(1))
	if want := "4 node(s) had condition DStateProcess"; !strings.Contains(message, want) {
		t.Errorf("event %q, want %q in it", message, want)
	}
	w.allSound()
}

func TestPodsArePacked(t *testing.T) {
	w := fresh(t)
	first := w.place(gpus(1, "V100"))
	for range 7 {
		if node := w.place(gpus(1, "V100")); node != first {
			t.Errorf("a small pod is on %s, want it to fill %s", node, first)
		}
	}
	if node := w.place(gpus(8, "V100")); node == first {
		t.Errorf("a whole-node pod is on the full node %s", node)
	}
}
