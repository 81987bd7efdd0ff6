package e2e

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"berth.dev/berth/tests/e2e/box"
	"berth.dev/berth/tests/e2e/fleet"
)

const (
	acceleratorLabel = "berth.dev/accelerator"
	leaseDuration    = 15 * time.Second
	// How long a candidate sleeps at most before it looks at the lease again.
	longestRetry = 5 * time.Second
)

// controllers starts so many, for the rest of the test.
func (w *world) controllers(count int, config map[string]any) []*box.Controller {
	w.Helper()
	var started []*box.Controller
	for i := range count {
		name := fmt.Sprintf("%s-%d", strings.ToLower(strings.ReplaceAll(w.Name(), "/", "-")), i)
		c, err := w.box.NewController(name, config)
		w.Check("make a controller", err)
		w.Cleanup(c.Stop)
		w.Check("start a controller", c.Start(w.Context()))
		started = append(started, c)
	}
	return started
}

// leads tells whether the controller is the one that writes.
func (w *world) leads(c *box.Controller) bool {
	samples, err := c.Metrics(w.Context())
	return err == nil && samples.Sum("berth_controller_leads") == 1
}

// unlabel takes Berth's label off all nodes.
func (w *world) unlabel() {
	w.Helper()
	for node := range w.labels() {
		w.setLabel(node, nil)
	}
}

func (w *world) setLabel(node string, value any) {
	w.Helper()
	patch := fmt.Sprintf(`{"metadata":{"labels":{%q:null}}}`, acceleratorLabel)
	if value != nil {
		patch = fmt.Sprintf(`{"metadata":{"labels":{%q:%q}}}`, acceleratorLabel, value)
	}
	_, err := w.box.Client.CoreV1().Nodes().Patch(w.Context(), node, types.MergePatchType,
		[]byte(patch), metav1.PatchOptions{})
	w.Check("patch "+node, err)
}

// labels are the values of Berth's label by node; nodes without it are left out.
func (w *world) labels() map[string]string {
	w.Helper()
	nodes, err := w.box.Client.CoreV1().Nodes().List(w.Context(), metav1.ListOptions{})
	w.Check("list nodes", err)
	labels := map[string]string{}
	for _, node := range nodes.Items {
		if value, found := node.Labels[acceleratorLabel]; found {
			labels[node.Name] = value
		}
	}
	return labels
}

// expectedLabels are those of the small fleet.
func expectedLabels() map[string]string {
	labels := map[string]string{}
	for _, pool := range fleet.Small(nodesPerPool) {
		for index := range pool.Nodes {
			if pool.Accelerator != "" {
				labels[pool.NodeName(index)] = pool.Accelerator
			}
		}
	}
	return labels
}

func (w *world) awaitLabels(want map[string]string) {
	w.Helper()
	w.Await(fmt.Sprintf("the labels %v", want), func() bool {
		return fmt.Sprint(w.labels()) == fmt.Sprint(want)
	})
}

func TestNodesAreLabelledWithTheirAccelerator(t *testing.T) {
	w := fresh(t)
	w.unlabel()
	w.controllers(1, nil)
	w.awaitLabels(expectedLabels())
	broken := nodesOf("mn2b-a30")[0]
	w.setLabel(broken, "H100") // by mistake; nothing runs there
	w.awaitLabels(expectedLabels())
}

// The greatest minimum of memory that the extender would accept a node for, by what drivers report.
func TestNodesAreLabelledWithTheMemoryOfADevice(t *testing.T) {
	w := fresh(t)
	w.controllers(1, nil)
	for _, pool := range fleet.Small(nodesPerPool) {
		for index := range pool.Nodes {
			name := pool.NodeName(index)
			w.Await("the memory of "+name, func() bool {
				node, err := w.box.Client.CoreV1().Nodes().Get(w.Context(), name, metav1.GetOptions{})
				w.Check("get "+name, err)
				label, labelled := node.Labels[acceleratorLabel+"-memory"]
				mebibytes, err := strconv.Atoi(node.Labels["nvidia.com/gpu.memory"])
				if err != nil {
					return !labelled // of MN-Core, and of CPU nodes, nobody knows any
				}
				return label == strconv.Itoa(mebibytes*100/93/1024)
			})
		}
	}
}

// kubelet checks the affinity of running pods again when it restarts.
func TestRenamedAcceleratorRelabelsEmptyNodesOnly(t *testing.T) {
	w := fresh(t)
	w.unlabel()
	first := w.controllers(1, nil)[0]
	want := expectedLabels()
	w.awaitLabels(want)
	first.Stop()
	pod := gpus(1, "A30")
	used := w.place(pod)
	w.controllers(1, map[string]any{"accelerators": []any{map[string]any{
		"name": "A30-24GB", "resource": fleet.ResourceGPU,
		"nodes": []any{map[string]any{"label": fleet.LabelProduct, "matches": "A30"}},
	}}})
	for _, node := range nodesOf("mn2b-a30") {
		if node != used {
			want[node] = "A30-24GB"
		}
	}
	w.awaitLabels(want)
	w.Check("delete the pod", w.box.Client.CoreV1().Pods(pod.Namespace).Delete(t.Context(), pod.Name,
		metav1.DeleteOptions{}))
	want[used] = "A30-24GB"
	w.awaitLabels(want)
}
