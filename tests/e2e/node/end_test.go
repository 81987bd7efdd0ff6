//go:build cluster

package node

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

const (
	lookFinalizer = "e2e.berth.dev/look"
	killed        = 137
	saved         = 143 // as trainer/ says
)

// Trainers need three seconds, of which their pods ask for one.
func TestTrainerHasTimeToSave(t *testing.T) {
	enforced, asWritten := enter(t).teams("saving")
	cases := []struct {
		team *team
		code int32
	}{{enforced, saved}, {asWritten, killed}}
	for _, c := range cases {
		c.team.openClaim("checkpoints")
		template := trainer(map[string]string{checkpointAnnotation: "true"}, "count", "6000")
		template.Finalizers = []string{lookFinalizer}
		c.team.run("train", template)
	}
	for _, c := range cases {
		if got := c.team.end("train"); got != c.code {
			t.Errorf("%s has ended with %d, want %d", c.team.namespace, got, c.code)
		}
	}
}

// end deletes a pod that has the finalizer, and returns the exit code of its program.
func (t *team) end(name string) int32 {
	t.Helper()
	pods := shared.Client.CoreV1().Pods(t.namespace)
	t.Check("delete the pod", pods.Delete(t.Context(), name, metav1.DeleteOptions{}))
	var end *corev1.ContainerStateTerminated
	t.Await("the program to end", func() bool {
		pod, err := pods.Get(t.Context(), name, metav1.GetOptions{})
		t.Check("get the pod", err)
		end = terminated(pod)
		return end != nil
	})
	_, err := pods.Patch(t.Context(), name, types.MergePatchType,
		[]byte(`{"metadata":{"finalizers":null}}`), metav1.PatchOptions{})
	t.Check("let the pod go", err)
	return end.ExitCode
}

// Whoever drains a node costs nobody more than the steps since SIGTERM. Users are not root, and
// kubelet makes the folder of a Job as root.
func TestDrainedJobGoesOnFromItsCheckpoint(t *testing.T) {
	w := enter(t)
	w.giveDevices()
	inner := w.team("drained", "enforce")
	folders := map[string]string{ // by the name of the claim, which is the Job's, too
		"of-a-group": inner.groupClaim("of-a-group"),
		"of-all":     inner.openClaim("of-all"),
	}
	for claim := range folders {
		inner.start(claim, trainer(map[string]string{checkpointAnnotation: claim}, "count", "200"), nil)
	}
	for job, folder := range folders {
		w.Await(job+" to begin", func() bool { return journal(folder, job) != "" })
	}
	defer func() { w.Check("uncordon", kubectl(t.Context(), "uncordon", Name)) }()
	w.Check("drain", kubectl(t.Context(), "drain", Name, "--pod-selector", batchv1.JobNameLabel))
	w.Check("uncordon", kubectl(t.Context(), "uncordon", Name))
	for job, folder := range folders {
		pods := inner.awaitEnd(job, batchv1.JobComplete)
		if len(pods) != 1 {
			t.Errorf("%s has %d pods beside the one that was drained, want 1", job, len(pods))
		}
		said := strings.Fields(journal(folder, job)) // starts at X saved at X starts at X ends at X
		want := "starts at 0 saved at K starts at K ends at 200"
		if len(said) != 12 || said[5] == "0" {
			t.Errorf("%s %q, want %s and some K", job, said, want)
			continue
		}
		if want = strings.ReplaceAll(want, "K", said[5]); strings.Join(said, " ") != want {
			t.Errorf("%s %q, want %s", job, said, want)
		}
	}
}

// journal is what the trainers of a Job have written beside their checkpoints.
func journal(claim, job string) string {
	content, _ := os.ReadFile(filepath.Join(claim, job, "journal")) // not yet
	return string(content)
}
