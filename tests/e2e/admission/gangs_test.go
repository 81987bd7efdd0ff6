package admission

import (
	"fmt"
	"slices"
	"testing"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"berth.dev/berth/tests/e2e/docs"
)

const (
	gang      = "berth.dev/gang"
	gangName  = "berth.dev/gang-name"
	gangSize  = "berth.dev/gang-size"
	gangFreed = "berth.dev/gang-freed"
)

// gangJob makes a Job that asks to run all pods or none.
func gangJob(name string, pods int32) *batchv1.Job {
	j := indexed(job(name, podSpec(container("train", "cpu=1 memory=1Gi", "cpu=1 memory=1Gi"))), pods)
	annotated(&j.ObjectMeta, gang, "true")
	return j
}

func isGated(p corev1.Pod) bool {
	return len(p.Spec.SchedulingGates) == 1 && p.Spec.SchedulingGates[0].Name == gang
}

// free takes the gate of the gang away, as docs/gangs.md says.
func (w *world) free(pod string) {
	w.Helper()
	patch := fmt.Sprintf(`{"spec":{"schedulingGates":[{"name":%q,"$patch":"delete"}]}}`, gang)
	_, err := w.client.CoreV1().Pods(w.namespace).Patch(w.Context(), pod,
		types.StrategicMergePatchType, []byte(patch), metav1.PatchOptions{})
	w.Check("free "+pod, err)
}

func TestPodsOfAGangWaitUntilTheyAreFreed(t *testing.T) {
	w := inServers(t, serverGangs, "enforce")
	created := w.createJob(gangJob("train", 3))
	w.expectWarned("its 3 pods are a gang")
	name := created.Name + "-" + string(created.UID)[:8]
	var pods []corev1.Pod
	w.Await("3 pods", func() bool {
		pods = w.pods()
		return len(pods) == 3
	})
	for _, p := range pods {
		if !isGated(p) || p.Annotations[gangName] != name || p.Annotations[gangSize] != "3" {
			t.Errorf("%s has the gates %v and the annotations %v", p.Name, p.Spec.SchedulingGates,
				p.Annotations)
		}
	}
	w.free(pods[0].Name)
	if running := w.running(1); running[0].Name != pods[0].Name {
		t.Errorf("%s runs, not %s", running[0].Name, pods[0].Name)
	}
	w.free(pods[1].Name)
	w.free(pods[2].Name)
	w.running(3)
}

// No controller runs that would take gates away, as when Berth is gone for good.
func TestTheLineOfTheDocumentationFreesAllPodsOfANamespace(t *testing.T) {
	w := inServers(t, serverGangs, "enforce")
	const pods = 3
	w.createJob(gangJob("train", pods))
	// It waits for a node, without a gate.
	large := w.createPod(pod(container("large", "cpu=1000 memory=1Gi", "cpu=1000 memory=1Gi")))
	w.Await("pods behind the gate", func() bool {
		gated := slices.DeleteFunc(w.pods(), func(p corev1.Pod) bool { return !isGated(p) })
		return len(gated) == pods
	})
	docs.Type(w.Test, shared.Kubeconfig, "docs/gangs.md", "schedulingGates", "-n ml", "-n "+w.namespace)
	for _, p := range w.running(pods) {
		if p.Name == large.Name || p.Spec.NodeName == "" || len(p.Spec.SchedulingGates) > 0 ||
			p.Annotations[gangFreed] != "true" {
			t.Errorf("%s is on %q with the gates %v and the annotations %v", p.Name, p.Spec.NodeName,
				p.Spec.SchedulingGates, p.Annotations)
		}
	}
}

func TestPodsThatNobodyAsksToWaitDoNot(t *testing.T) {
	w := inServers(t, serverGangs, "enforce")
	w.createJob(gangJob("single", 1))
	declining := gangJob("declining", 2)
	declining.Annotations[gang] = "false"
	w.createJob(declining)
	w.running(3)
}

func TestNamespaceThatWarnsIsOnlyToldOfGangs(t *testing.T) {
	w := inServers(t, serverGangs, "warn")
	w.createJob(gangJob("train", 2))
	w.expectWarned("berth (warn only): ", "its 2 pods are a gang")
	w.running(2)
}

func TestGangThatCannotBeIsRefused(t *testing.T) {
	w := inServers(t, serverGangs, "enforce")
	inTurn := gangJob("in-turn", 2)
	inTurn.Spec.Completions = new(int32(100))
	_, err := w.client.BatchV1().Jobs(w.namespace).Create(w.Context(), inTurn, metav1.CreateOptions{})
	if !apierrors.IsInvalid(err) {
		t.Errorf("a Job whose pods wait for each other in turn: %v", err)
	}
	nameless := pod(container("train", "cpu=1 memory=1Gi", "cpu=1 memory=1Gi"))
	annotated(&nameless.ObjectMeta, gangSize, "2")
	if _, err := w.tryPod(nameless); !apierrors.IsInvalid(err) {
		t.Errorf("a pod of a gang without a name: %v", err)
	}
}
