//go:build long

package docs

import (
	"strings"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"berth.dev/berth/tests/e2e/fleet"
)

// writeManifests writes the files that commands name: the Job that researchers are shown, and the pod
// of the front page.
func (w *world) writeManifests() {
	w.Helper()
	w.write("train.yaml", w.yamlWith(researchers, "kind: Job"))
	w.write("pod.yaml", "apiVersion: v1\nkind: Pod\n"+
		strings.Replace(w.yamlWith(readme, "nvidia.com/gpu"), "metadata:", "metadata:\n  name: train", 1))
}

// yamlWith is the first block of YAML in the document that has the text.
func (w *world) yamlWith(document, text string) string {
	w.Helper()
	found := having(blocksOf(w.T, document), "yaml", text)
	if len(found) == 0 {
		w.Fatalf("%s has no YAML with %s", document, text)
	}
	return found[0].Text
}

// losePod has a pod of a Job hang on a node that is lost: nobody ends it when it is deleted, and the
// Job waits for it.
func (w *world) losePod() {
	w.Helper()
	_, err := w.Client.BatchV1().Jobs(team).Create(w.Context(), patientJob(), metav1.CreateOptions{})
	w.Check("create the Job", err)
	w.Await("its pod to run", func() bool {
		pods := w.pods(team)
		return len(pods) == 1 && pods[0].Status.Phase == corev1.PodRunning
	})
	w.lost = w.pods(team)[0].Name
	w.Check("delete "+w.lost, w.Client.CoreV1().Pods(team).Delete(w.Context(), w.lost,
		metav1.DeleteOptions{}))
	w.Await("the Job to know that its pod is ending", func() bool {
		job, err := w.Client.BatchV1().Jobs(team).Get(w.Context(), "train", metav1.GetOptions{})
		return err == nil && job.Status.Terminating != nil && *job.Status.Terminating == 1
	})
	if pods := w.pods(team); len(pods) != 1 {
		w.Fatalf("there are %d pods: the Job does not wait", len(pods))
	}
}

func (w *world) expectReplaced(string) {
	w.Helper()
	w.Await("the Job to make another pod", func() bool {
		pods := w.pods(team)
		return len(pods) == 1 && pods[0].Name != w.lost
	})
}

// patientJob has the retries that Berth gives a Job: it waits until a pod that is deleted has ended.
func patientJob() *batchv1.Job {
	return &batchv1.Job{
		ObjectMeta: metav1.ObjectMeta{Name: "train"},
		Spec: batchv1.JobSpec{
			PodReplacementPolicy: new(batchv1.Failed),
			PodFailurePolicy: &batchv1.PodFailurePolicy{Rules: []batchv1.PodFailurePolicyRule{{
				Action: batchv1.PodFailurePolicyActionCount,
				OnPodConditions: []batchv1.PodFailurePolicyOnPodConditionsPattern{
					{Type: corev1.DisruptionTarget, Status: corev1.ConditionTrue}},
			}}},
			Template: corev1.PodTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{
					Annotations: map[string]string{fleet.FateAnnotation: fleet.FateHangs}},
				Spec: corev1.PodSpec{RestartPolicy: corev1.RestartPolicyNever,
					Containers: []corev1.Container{{Name: "train", Image: "registry.example/train:1"}}},
			},
		},
	}
}
