//go:build long

package admission

import (
	"context"
	"fmt"
	"testing"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"berth.dev/berth/tests/e2e/box"
	"berth.dev/berth/tests/e2e/fleet"
)

// lostTimeout: kube-controller-manager collects pods every 20 s.
const lostTimeout = time.Minute

// A Job waits for a pod on a lost node, until somebody ends the pod: as docs/operations.md says, or
// the controller. Then it goes on elsewhere: this was a disruption, and no failure of its own.
func TestJobOnALostNodeGoesOnOnceItsPodIsEnded(t *testing.T) {
	for i, c := range []struct {
		name    string
		disrupt func(*world, corev1.Pod)
		free    func(w *world, lost corev1.Pod, idle *box.Controller)
	}{
		{"out of service", evict, taintOutOfService},
		{"by hand", deletePod, endByHand},
		{"by the controller", deletePod, endByController},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := in(t, "enforce")
			pool := w.addPool(fmt.Sprint("lost-", i))
			spec := *deviceSpec.DeepCopy()
			spec.NodeSelector = map[string]string{fleet.LabelPool: pool}
			w.createJob(job("train", spec))
			lost := w.running(1)[0]
			w.doom(lost.Name, fleet.FateHangs)
			w.lose(lost.Spec.NodeName)
			c.disrupt(w, lost)

			idle := w.controller(fmt.Sprint("idle-", i), nil)
			w.Await("the pod to hang", func() bool {
				samples, err := idle.Metrics(w.Context())
				return err == nil && samples.Sum("berth_pods_terminating_on_lost_nodes") == 1
			})
			w.Await("the Job to wait for it", func() bool {
				status := w.job("train").Status
				return status.Active == 0 && status.Terminating != nil && *status.Terminating == 1
			})

			c.free(w, lost, idle)
			w.awaitFor(lostTimeout, "the lost pod to be gone", func() bool {
				_, err := w.client.CoreV1().Pods(w.namespace).Get(w.Context(), lost.Name,
					metav1.GetOptions{})
				return apierrors.IsNotFound(err)
			})
			if next := w.retried(lost); next.Spec.NodeName == lost.Spec.NodeName {
				t.Errorf("the next pod is on %s, too", next.Spec.NodeName)
			}
			for _, c := range w.job("train").Status.Conditions {
				if c.Type == batchv1.JobFailureTarget || c.Type == batchv1.JobFailed {
					t.Errorf("the Job has failed: %s", c.Message)
				}
			}
		})
	}
}

// addPool makes two nodes of a pool of their own, for the rest of the test, and returns its name.
func (w *world) addPool(name string) string {
	w.Helper()
	pool := fleet.Small(2)[0]
	pool.Name = name
	w.Check("create nodes", createNodes(w.Context(), []fleet.Pool{pool}))
	w.Cleanup(func() {
		for i := range pool.Nodes {
			_ = shared.Client.CoreV1().Nodes().Delete(context.Background(), pool.NodeName(i),
				metav1.DeleteOptions{})
		}
	})
	return name
}

// lose has a node look as if kube-controller-manager had not heard of its kubelet for an hour.
func (w *world) lose(node string) {
	w.Helper()
	then := metav1.NewTime(time.Now().Add(-time.Hour))
	w.Check("lose "+node, fleet.PatchCondition(w.Context(), shared.Client, node,
		corev1.NodeCondition{Type: corev1.NodeReady, Status: corev1.ConditionUnknown,
			Reason: "NodeStatusUnknown", Message: "Kubelet stopped posting node status.",
			LastHeartbeatTime: then, LastTransitionTime: then}))
	w.patchNode(node, `{"spec":{"unschedulable":true}}`)
}

func (w *world) patchNode(node, patch string) {
	w.Helper()
	_, err := shared.Client.CoreV1().Nodes().Patch(w.Context(), node,
		types.StrategicMergePatchType, []byte(patch), metav1.PatchOptions{})
	w.Check("patch "+node, err)
}

func deletePod(w *world, p corev1.Pod) {
	w.Helper()
	w.Check("delete", w.client.CoreV1().Pods(p.Namespace).Delete(w.Context(), p.Name,
		metav1.DeleteOptions{}))
}

func taintOutOfService(w *world, lost corev1.Pod, _ *box.Controller) {
	w.Helper()
	w.patchNode(lost.Spec.NodeName, `{"spec":{"taints":[
		{"key":"node.kubernetes.io/out-of-service","value":"nodeshutdown","effect":"NoExecute"}]}}`)
}

func endByHand(w *world, lost corev1.Pod, _ *box.Controller) {
	w.Helper()
	pods := w.client.CoreV1().Pods(lost.Namespace)
	_, err := pods.Patch(w.Context(), lost.Name, types.StrategicMergePatchType,
		[]byte(`{"status":{"phase":"Failed","conditions":[
			{"type":"DisruptionTarget","status":"True","reason":"NodeLost"}]}}`),
		metav1.PatchOptions{}, "status")
	w.Check("report that it has failed", err)
	err = pods.Delete(w.Context(), lost.Name, metav1.DeleteOptions{GracePeriodSeconds: new(int64)})
	w.Check("delete by force", err)
}

// endByController has another controller lead, which ends pods on lost nodes. With a share below 1 it
// would watch for a minute first.
func endByController(w *world, lost corev1.Pod, idle *box.Controller) {
	w.Helper()
	idle.Stop()
	c := w.controller("ending", map[string]any{"forceDeleteAfter": "1m", "maxShare": 1})
	w.Await("the controller to end "+lost.Name, func() bool {
		samples, err := c.Metrics(w.Context())
		return err == nil &&
			samples.Sum("berth_controller_writes_total", `write="lost_pod"`, `result="ok"`) == 1
	})
}

// controller starts one, for the rest of the test, with exactly the rights that it asks for.
func (w *world) controller(name string, lostNodes map[string]any) *box.Controller {
	w.Helper()
	config := map[string]any{"lease": map[string]any{"namespace": metav1.NamespaceDefault}}
	if lostNodes != nil {
		config["lostNodes"] = lostNodes
	}
	c, err := shared.NewController(name, map[string]any{"controller": config})
	w.Check("make a controller", err)
	w.Check("grant its rights", shared.GrantController(w.Context(), c))
	w.Cleanup(c.Stop)
	w.Check("start the controller", c.Start(w.Context()))
	return c
}
