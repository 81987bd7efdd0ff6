package e2e

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/util/retry"

	"berth.dev/berth/tests/e2e/fleet"
)

const (
	manyConditions = 200
	hugeLength     = 64 << 10
	longestLabel   = 63 // of a label's value, by Kubernetes' validation
)

// change reads a node, changes it and writes it by write, again if KWOK was quicker.
func (w *world) change(
	name string, change func(*corev1.Node),
	write func(context.Context, *corev1.Node, metav1.UpdateOptions) (*corev1.Node, error),
) {
	w.Helper()
	ctx := context.Background() // clean-ups run when the test's own has ended
	w.Check("change "+name, retry.RetryOnConflict(retry.DefaultBackoff, func() error {
		node, err := w.box.Client.CoreV1().Nodes().Get(ctx, name, metav1.GetOptions{})
		if err != nil {
			return err
		}
		change(node)
		_, err = write(ctx, node, metav1.UpdateOptions{})
		return err
	}))
}

// setConditions gives a node these conditions in this order until the test ends.
func (w *world) setConditions(
	name string, change func(before []corev1.NodeCondition) []corev1.NodeCondition,
) {
	w.Helper()
	nodes := w.box.Client.CoreV1().Nodes()
	var before []corev1.NodeCondition
	w.change(name, func(node *corev1.Node) {
		before = node.Status.Conditions
		node.Status.Conditions = change(slices.Clone(before))
	}, nodes.UpdateStatus)
	w.Cleanup(func() {
		w.change(name, func(node *corev1.Node) { node.Status.Conditions = before }, nodes.UpdateStatus)
	})
}

// A detector gone wild publishes hundreds of conditions; the one that counts is the last.
func TestNodeWithHundredsOfConditions(t *testing.T) {
	w := fresh(t)
	pool := nodesOf("mn2b-a30")
	w.breaks("GPUIsLost", "Exclude", pool[1:]...)
	w.setConditions(pool[0], func(before []corev1.NodeCondition) []corev1.NodeCondition {
		return append(before, wild(manyConditions)...)
	})
	if node := w.place(gpus(5, "A30")); node != pool[0] {
		t.Errorf("the pod is on %s, want %s: none of its conditions is known to Berth", node, pool[0])
	}
	w.setConditions(pool[0], func(before []corev1.NodeCondition) []corev1.NodeCondition {
		lost := slices.IndexFunc(before, func(c corev1.NodeCondition) bool {
			return c.Type == "GPUIsLost"
		})
		last := before[lost]
		last.Status = corev1.ConditionTrue
		return append(slices.Delete(before, lost, lost+1), last)
	})
	w.awaitEffect("GPUIsLost", "Exclude", len(pool))
	message := w.refused(gpus(1, "A30"))
	if want := "4 node(s) had condition GPUIsLost"; !strings.Contains(message, want) {
		t.Errorf("event %q, want %q in it", message, want)
	}
}

// wild makes conditions of a detector that Berth knows nothing of.
func wild(count int) []corev1.NodeCondition {
	var conditions []corev1.NodeCondition
	for i := range count {
		conditions = append(conditions, corev1.NodeCondition{
			Type:   corev1.NodeConditionType(fmt.Sprintf("Wild%03d", i)),
			Status: corev1.ConditionTrue, Reason: "GoneWild", Message: strings.Repeat("x", 100),
			LastTransitionTime: metav1.Now(), LastHeartbeatTime: metav1.Now(),
		})
	}
	return conditions
}

// One label of such a length the API server refuses itself; so many labels it does not.
func TestNodeWithHugeLabelsAndAnnotations(t *testing.T) {
	w := fresh(t)
	pool := nodesOf("mn2b-a30")
	nodes := w.box.Client.CoreV1().Nodes()
	w.breaks("GPUIsLost", "Exclude", pool[1:]...)
	node, err := nodes.Get(t.Context(), pool[0], metav1.GetOptions{})
	w.Check("get "+pool[0], err)
	node.Labels["huge"] = strings.Repeat("x", hugeLength)
	if _, err := nodes.Update(t.Context(), node, metav1.UpdateOptions{}); !apierrors.IsInvalid(err) {
		t.Errorf("a label of 64 KiB gives %v, want it refused as invalid", err)
	}
	long := strings.Repeat("x", longestLabel)
	resize := func(enlarge bool) func(*corev1.Node) {
		return func(node *corev1.Node) {
			delete(node.Annotations, "huge")
			if enlarge {
				node.Annotations = map[string]string{"huge": strings.Repeat("x", hugeLength)}
			}
			for i := range hugeLength / longestLabel {
				key := fmt.Sprintf("huge-%d", i)
				delete(node.Labels, key)
				if enlarge {
					node.Labels[key] = long
				}
			}
		}
	}
	w.change(pool[0], resize(true), nodes.Update)
	t.Cleanup(func() { w.change(pool[0], resize(false), nodes.Update) })
	if got := w.place(gpus(5, "A30")); got != pool[0] {
		t.Errorf("the pod is on %s, want %s, whose labels are its own business", got, pool[0])
	}
}

// The reason stays short, whatever a user writes.
func TestPodWithAHugeAnnotation(t *testing.T) {
	w := fresh(t)
	for name, text := range map[string]string{
		fleet.AnnotationAccelerators: strings.Repeat("V", hugeLength),
		fleet.AnnotationMemory:       strings.Repeat("x", hugeLength),
	} {
		pod := gpus(1)
		pod.Annotations[name] = text
		message := w.refused(pod)
		if want := "12 pod annotation " + name; !strings.Contains(message, want) || len(message) > 1000 {
			t.Errorf("event %q, want a short one with %q in it", message, want)
		}
	}
	list := gpus(1)
	list.Annotations[fleet.AnnotationAccelerators] = strings.Repeat("V100,", hugeLength/5)
	w.expectOn("mn2a", w.place(list))
}
