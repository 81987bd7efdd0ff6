//go:build cluster

package node

import (
	"context"
	"fmt"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"berth.dev/berth/tests/e2e/box"
	"berth.dev/berth/tests/e2e/fleet"
)

const (
	checkLabel = "berth.dev/active-check"
	// How long a pod may wait for a node that a check holds. The controller ends the check within a
	// second, and kube-scheduler tries the pod again a second or two after that. A busy machine needs
	// some more.
	checkYields = 5 * time.Second
)

// What a check says of the real node, and how soon it goes for a pod that wants the node. A controller
// of its own runs the checks, so that their configuration changes at once.
func TestActiveChecks(t *testing.T) {
	w := enter(t)
	w.giveDevices()
	w.label(fleet.LabelProduct, `"NVIDIA-A30"`)
	defer w.label(fleet.LabelProduct, "null")
	defer w.forget("GPURuntimeError", "DStateProcess", "GPUPendingPage")
	w.Check("create a PriorityClass",
		shared.CreatePriorityClass(w.Context(), box.ChecksPriorityClass, box.ChecksPriority))
	inner := w.team("checked", "enforce")

	stop := w.check("passes", "GPURuntimeError", "count", "100")
	w.Await("a check to run", func() bool {
		pods := w.checkPods("passes")
		return len(pods) == 1 && pods[0].Status.Phase == corev1.PodRunning
	})
	began := time.Now()
	pod := inner.run("train", trainer(nil, "count", "1"))
	t.Logf("a pod ran %v after it was created for a node on which a check ran",
		time.Since(began).Round(time.Millisecond))
	// How soon the pod runs then is up to kubelet.
	if took := bound(pod).Sub(pod.CreationTimestamp.Time); took > checkYields {
		t.Errorf("the pod waited for its node for %v, want %v at most", took, checkYields)
	}
	w.Await("the check to pass when the pod has ended", func() bool {
		return w.condition("GPURuntimeError").Reason == "ActiveCheckPassed"
	})
	stop()

	stop = w.check("fails", "DStateProcess", "nonsense")
	w.Await("the check to fail", func() bool {
		return w.condition("DStateProcess").Reason == "ActiveCheckFailed"
	})
	// Berth refuses the node by now, so no kube-scheduler would place the check.
	first := w.condition("DStateProcess").LastHeartbeatTime
	w.Await("the check to fail there again", func() bool {
		return w.condition("DStateProcess").LastHeartbeatTime.After(first.Time)
	})
	stop()
	stop = w.check("fails", "DStateProcess", "count", "1")
	w.Await("the check to take it back", func() bool {
		return w.condition("DStateProcess").Reason == "ActiveCheckPassed"
	})
	stop()

	stop = w.check("unable", "GPUPendingPage", "eat", "256")
	defer stop()
	w.Await("a check to run out of memory", func() bool {
		for _, pod := range w.checkPods("unable") {
			if end := terminated(&pod); end != nil && end.Reason == "OOMKilled" {
				return true
			}
		}
		return false
	})
	w.Await("its pod to go", func() bool { return len(w.checkPods("unable")) == 0 })
	if reason := w.condition("GPUPendingPage").Reason; reason != "" {
		t.Errorf("a check that ran out of memory has told %s of its node", reason)
	}
}

// check has a controller check the nodes like the real one by a run of trainer, until it is stopped.
// The node may recover from what former checks have found for no time at all.
func (w *world) check(name, condition string, arguments ...string) (stop func()) {
	w.Helper()
	conditions := []any{}
	for _, kind := range []string{"GPURuntimeError", "DStateProcess", "GPUPendingPage"} {
		conditions = append(conditions, map[string]any{"type": kind, "effect": "Exclude"})
	}
	c, err := shared.NewController(name+fmt.Sprint(len(arguments)), map[string]any{
		// The chart's roles have the names of those that the box would grant.
		"kubernetes": map[string]any{"kubeconfig": shared.Kubeconfig},
		"health":     map[string]any{"conditions": conditions, "keepFor": "0s"},
		"planner":    map[string]any{"schedulers": []string{}},
		"controller": map[string]any{
			"checkPods": map[string]any{"scheduler": "berth"},
			"activeChecks": []any{map[string]any{"name": name, "image": trainerImage,
				"command": append([]string{"trainer"}, arguments...), "condition": condition,
				"accelerators": []string{"A30"}, "every": "1h", "retryEvery": "5s",
				"cpu": "100m", "memory": "64Mi"}}},
	})
	w.Check("make a controller", err)
	// Its Lease stays where nobody has made it, and has the name of the release's.
	w.Cleanup(func() {
		err := shared.Client.CoordinationV1().Leases(metav1.NamespaceDefault).Delete(
			context.Background(), "berth-controller", metav1.DeleteOptions{})
		if !apierrors.IsNotFound(err) {
			w.Check("delete its Lease", err)
		}
	})
	w.Cleanup(c.Stop)
	w.Check("start the controller", c.Start(w.Context()))
	return c.Stop
}

// bound is when kube-scheduler bound the pod.
func bound(pod *corev1.Pod) time.Time {
	for _, c := range pod.Status.Conditions {
		if c.Type == corev1.PodScheduled && c.Status == corev1.ConditionTrue {
			return c.LastTransitionTime.Time
		}
	}
	return time.Now()
}

func (w *world) checkPods(name string) []corev1.Pod {
	w.Helper()
	return w.pods(metav1.NamespaceDefault, checkLabel+"="+name)
}

// label gives the real node a label; null takes it away.
func (w *world) label(name, value string) {
	w.Helper()
	patch := `{"metadata":{"labels":{"` + name + `":` + value + `}}}`
	_, err := shared.Client.CoreV1().Nodes().Patch(context.WithoutCancel(w.Context()), Name,
		types.MergePatchType, []byte(patch), metav1.PatchOptions{})
	w.Check("label the node", err)
}

// forget takes conditions of the real node away.
func (w *world) forget(kinds ...string) {
	w.Helper()
	for _, kind := range kinds {
		patch := `{"status":{"conditions":[{"$patch":"delete","type":"` + kind + `"}]}}`
		_, err := shared.Client.CoreV1().Nodes().Patch(context.WithoutCancel(w.Context()), Name,
			types.StrategicMergePatchType, []byte(patch), metav1.PatchOptions{}, "status")
		w.Check("take the condition away", err)
	}
}

// condition is that of the real node; empty where it has none.
func (w *world) condition(kind string) corev1.NodeCondition {
	w.Helper()
	node, err := shared.Client.CoreV1().Nodes().Get(w.Context(), Name, metav1.GetOptions{})
	w.Check("get the node", err)
	for _, c := range node.Status.Conditions {
		if string(c.Type) == kind {
			return c
		}
	}
	return corev1.NodeCondition{}
}
