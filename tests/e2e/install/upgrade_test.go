package install

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
)

// changed is another set of values, under which every pod of the release is replaced, and more than
// pods is written.
var changed = values{
	"podAnnotations": values{"e2e.berth.dev/values": "changed"},
	"scheduler":      values{"verbosity": 3},
	"admission":      values{"timeoutSeconds": 6},
	"config": values{"admission": values{"policies": values{"guaranteedQos": values{
		"withoutAccelerators": values{"cpu": "2", "memory": "2Gi"}}}}},
}

// A change of policies needs no new pods.
func TestUpgradeOfPoliciesIsTakenOverInPlace(t *testing.T) {
	w := release(t, nil)
	team := w.team("enforce")
	before := w.uidsOfPods()
	w.upgrade(values{"config": changed["config"]})
	w.Await("careless pods to get 2Gi", func() bool { return w.memoryGivenIn(team) == "2Gi" })
	after := w.uidsOfPods()
	for uid := range before {
		if !after[uid] {
			t.Errorf("pod %s was replaced", uid)
		}
	}
	w.upgrade(nil)
}

// memoryGivenIn is the memory that a careless pod gets in the namespace.
func (w *world) memoryGivenIn(namespace string) string {
	w.Helper()
	pod, err := w.try(namespace, carelessPod())
	w.Check("try a pod", err)
	return pod.Spec.Containers[0].Resources.Limits.Memory().String()
}

// uidsOfPods are those of the release's running pods.
func (w *world) uidsOfPods() map[string]bool {
	w.Helper()
	uids := map[string]bool{}
	for _, pod := range w.components() {
		if pod.Status.Phase == corev1.PodRunning {
			uids[string(pod.UID)] = true
		}
	}
	return uids
}
