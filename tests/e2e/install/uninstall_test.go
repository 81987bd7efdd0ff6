package install

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
)

// An uninstalled Berth locks nobody out, leaves nothing, and can be installed again. Nodes keep
// Berth's label, because pods that run may select by it.
func TestUninstallLeavesNothing(t *testing.T) {
	w := release(t, nil)
	team := w.team("enforce")
	w.createJob(team, trainingJob("train"))
	w.running(team, "train")
	creates := w.createAnyway(team)
	creates.AwaitMore(leastLoad)
	w.uninstall()
	creates.AwaitMore(leastLoad)
	pod, err := w.try(team, carelessPod())
	w.Check("try a pod", err)
	if pod.Status.QOSClass != corev1.PodQOSBestEffort {
		t.Errorf("somebody still makes pods %s", pod.Status.QOSClass)
	}
	w.awaitNone("objects of the release", w.leftovers)
	creates.ExpectNoFailure(2 * leastLoad)
	// While the webhooks come, a pod may be judged that was not changed: see docs/admission.md.
	creates = w.createDecent(team)
	w.install(nil)
	creates.ExpectNoFailure(leastLoad)
	w.createJob(team, trainingJob("again"))
	w.running(team, "again")
}

func (w *world) leftovers() []string {
	w.Helper()
	found, err := shared.Leftovers(w.Context())
	w.Check("look for leftovers", err)
	return found
}
