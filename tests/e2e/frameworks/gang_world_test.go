//go:build frameworks

package frameworks

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"berth.dev/berth/tests/e2e/box"
	"berth.dev/berth/tests/e2e/fleet"
	"berth.dev/berth/tests/e2e/witness"
)

const (
	gangDevices = 8 // of a node of the gangs' pool
	rackNodes   = 4
	gangNodes   = 3 * rackNodes
)

// gangPool is where gangs run: V100 in three racks, which no other example prefers.
func gangPool() fleet.Pool {
	pool := fleet.Reference()[0]
	pool.Nodes, pool.RackNodes = gangNodes, rackNodes
	return pool
}

// gangWorld is a world in which a witness watches gangs. Its controller is that of all tests.
type gangWorld struct {
	*world
	seen *witness.Witness
}

// newGangWorld is a namespace that enforces. When the test ends, the witness says what it has seen.
func newGangWorld(t *testing.T) *gangWorld {
	t.Helper()
	w := &gangWorld{world: newWorld(t)}
	w.Cleanup(w.empty)
	var err error
	w.seen, err = witness.Watch(t.Context(), shared.Client, w.namespace, gangDevices)
	w.Check("watch pods", err)
	w.Cleanup(func() {
		for _, fault := range w.seen.Stop() {
			w.Error(fault)
		}
	})
	return w
}

// gang has the objects of a framework that asks for a gang.
func gang(t *testing.T, framework string) []*unstructured.Unstructured {
	t.Helper()
	return objectsIn(t, filepath.Join("gangs", framework+".yaml"))
}

// empty ends all pods, so that the next test finds the nodes idle.
func (w *gangWorld) empty() {
	pods, ctx := shared.Client.CoreV1().Pods(w.namespace), context.Background()
	gone := box.HoldsWithin(awaitTimeout, func() bool {
		_ = pods.DeleteCollection(ctx, metav1.DeleteOptions{GracePeriodSeconds: new(int64)},
			metav1.ListOptions{})
		list, err := pods.List(ctx, metav1.ListOptions{})
		return err == nil && len(list.Items) == 0
	})
	if !gone {
		w.Errorf("there still are pods in %s", w.namespace)
	}
}

// fill has a pod take all of each of these nodes of the gangs' pool, by index.
func (w *gangWorld) fill(nodes ...int) {
	w.Helper()
	for _, node := range nodes {
		pod := ask(gangDevices).Pod(fmt.Sprintf("filler-%d", node))
		pod.Namespace, pod.Spec.NodeName = w.namespace, gangPool().NodeName(node)
		_, err := shared.Client.CoreV1().Pods(w.namespace).Create(w.Context(), pod,
			metav1.CreateOptions{})
		w.Check("fill a node", err)
	}
}

// ask is of pods with so many devices each.
func ask(devices int64) fleet.Ask {
	return fleet.Ask{Name: "gang", Accelerators: []string{"V100"}, Resource: fleet.ResourceGPU,
		Devices: devices, Cores: 1, MemoryGiB: 4}
}

// unfill has nodes be free again, all at once for Berth's controller, which plans nothing meanwhile.
func (w *gangWorld) unfill(nodes ...int) {
	w.Helper()
	controller.Stop()
	for _, node := range nodes {
		w.Check("free a node", shared.Client.CoreV1().Pods(w.namespace).Delete(w.Context(),
			fmt.Sprintf("filler-%d", node), metav1.DeleteOptions{GracePeriodSeconds: new(int64)}))
	}
	w.Check("start the controller", controller.Start(context.WithoutCancel(w.Context())))
}

// members waits until the namespace has so many pods of gangs, of which none has ended, and each is as
// described.
func (w *gangWorld) members(
	count int, what string, holds func(corev1.Pod) bool,
) (found []corev1.Pod) {
	w.Helper()
	w.Await(fmt.Sprintf("%d pods of a gang, which %s", count, what), func() bool {
		list, err := shared.Client.CoreV1().Pods(w.namespace).List(w.Context(), metav1.ListOptions{})
		w.Check("list pods", err)
		found = slices.DeleteFunc(list.Items, func(pod corev1.Pod) bool {
			return pod.Annotations[witness.Name] == "" || pod.DeletionTimestamp != nil ||
				witness.HasEnded(&pod)
		})
		return len(found) == count && !slices.ContainsFunc(found, func(pod corev1.Pod) bool {
			return !holds(pod)
		})
	})
	return found
}

func runs(pod corev1.Pod) bool { return pod.Status.Phase == corev1.PodRunning }

// waits waits until all pods of a gang are there, say why they wait, and hold nothing. It returns the
// gang's name.
func (w *gangWorld) waits(count int) string {
	w.Helper()
	pods := w.members(count, "are gated, and say that they do not fit", func(pod corev1.Pod) bool {
		return witness.HoldsNothing(pod) && strings.Contains(saysOfGang(pod), "pods fit at once")
	})
	gang := pods[0].Annotations[witness.Name]
	if held := w.seen.Courses()[gang].Held; !held.IsZero() {
		w.Errorf("gang %s does not fit, and had a node at %s", gang, held)
	}
	w.Logf("%s", saysOfGang(pods[0]))
	return gang
}

func saysOfGang(pod corev1.Pod) string {
	for _, condition := range pod.Status.Conditions {
		if condition.Type == witness.Gate {
			return condition.Message
		}
	}
	return ""
}

// runsWhole waits until all pods of the gang run, and fails the test unless their nodes are in so many
// racks.
func (w *gangWorld) runsWhole(gang string, count, racks int) []corev1.Pod {
	w.Helper()
	pods := w.members(count, "run", runs)
	for _, pod := range pods {
		if pod.Annotations[witness.Name] != gang {
			w.Errorf("%s is of gang %q, want %q", pod.Name, pod.Annotations[witness.Name], gang)
		}
	}
	w.expectRacks(pods, racks)
	said, err := w.explain(gang)
	w.Check("explain the gang", err)
	if want := fmt.Sprintf("of %d: bound", count); !strings.Contains(said.Text, want) {
		w.Errorf("berth explain --gang says %q, want %q in it", said.Text, want)
	}
	return pods
}

func (w *gangWorld) explain(gang string) (box.Explanation, error) {
	return shared.Explain(w.Context(), "--kubeconfig", shared.Kubeconfig,
		"--gang", w.namespace+"/"+gang)
}

// expectRacks fails the test unless the pods with accelerators are in so many racks.
func (w *gangWorld) expectRacks(pods []corev1.Pod, want int) {
	w.Helper()
	racks := map[string]int{}
	for _, pod := range pods {
		if !asksForGPUs(pod) {
			continue
		}
		node, err := shared.Client.CoreV1().Nodes().Get(w.Context(), pod.Spec.NodeName,
			metav1.GetOptions{})
		w.Check("get "+pod.Spec.NodeName, err)
		racks[node.Labels[fleet.LabelRack]]++
	}
	if len(racks) != want {
		w.Errorf("the gang is in the racks %v, want %d of them", racks, want)
	}
}

func asksForGPUs(pod corev1.Pod) bool {
	return slices.ContainsFunc(pod.Spec.Containers, func(container corev1.Container) bool {
		_, asks := container.Resources.Limits[fleet.ResourceGPU]
		return asks
	})
}

// spans is how many gangs were released since the controller has started, and in how many racks.
func (w *gangWorld) spans() (gangs, racks float64) {
	w.Helper()
	samples, err := controller.Metrics(w.Context())
	w.Check("scrape the controller", err)
	label := `label="` + fleet.LabelRack + `"`
	return samples.Sum("berth_planner_gang_spans_count", label),
		samples.Sum("berth_planner_gang_spans_sum", label)
}

// expectStarts fails the test unless the gang has started so often as a whole.
func (w *gangWorld) expectStarts(gang string, want int) {
	w.Helper()
	course := w.seen.Courses()[gang]
	if course.Starts != want {
		w.Errorf("gang %s has started as a whole %d times, want %d", gang, course.Starts, want)
	}
	w.Logf("gang %s: its pods were bound within %s", gang, course.Longest())
}
