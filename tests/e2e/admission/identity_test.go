package admission

import (
	"strings"
	"testing"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

func contains(text, part string) bool { return strings.Contains(text, part) }

func TestCreatorIsRecorded(t *testing.T) {
	w := in(t, "enforce")
	if got := w.createPod(gpuPod()).Annotations[createdBy]; got != author {
		t.Errorf("the pod is %q's, want %q's", got, author)
	}
	made := w.createJob(job("train", podSpec(container("train", "", "nvidia.com/gpu=1"))))
	for where, annotations := range map[string]map[string]string{
		"Job": made.Annotations, "template": made.Spec.Template.Annotations,
		"pod": w.runningOf("train", 1)[0].Annotations, // which the Job controller created
	} {
		if annotations[createdBy] != author {
			t.Errorf("the %s is %q's, want %q's", where, annotations[createdBy], author)
		}
	}
}

func TestNobodyPassesForAnother(t *testing.T) {
	w := in(t, "enforce").as("mallory")
	p := gpuPod()
	annotated(&p.ObjectMeta, createdBy, author, applied, "guaranteed-qos 9.9.9")
	got := w.createPod(p)
	if got.Annotations[createdBy] != "mallory" {
		t.Errorf("the pod is %q's", got.Annotations[createdBy])
	}
	if contains(got.Annotations[applied], "9.9.9") {
		t.Errorf("what was applied is %q", got.Annotations[applied])
	}
	w.expectWarned(createdBy, "'mallory'", "'"+author+"'")
}

// An ownerReference is what its author wrote: it opens nothing.
func TestForgedOwnersOpenNothing(t *testing.T) {
	w := in(t, "enforce").as("mallory")
	for _, kind := range []string{"DaemonSet", "Job", "Node"} {
		t.Run(kind, func(t *testing.T) {
			p := pod(container("train", "", ""))
			annotated(&p.ObjectMeta, createdBy, author, "berth.dev/retryless", "true")
			p.OwnerReferences = []metav1.OwnerReference{{APIVersion: "v1", Kind: kind, Name: "forged",
				UID: types.UID("5f4dcc3b-5aa7-65d6-1d83-27deb882cf99"), Controller: new(true)}}
			got, err := w.dryRun(p) // else it is garbage
			if err != nil {
				t.Fatal(err)
			}
			if got.Status.QOSClass != corev1.PodQOSGuaranteed || got.Annotations[createdBy] != "mallory" ||
				!isolated(got.Spec) {
				t.Errorf("%s, %v, %v", got.Status.QOSClass, got.Annotations, got.Spec.Affinity)
			}
		})
	}
}

// retryless lets a pod be without limits; only Berth gives it, and only to what is not retried.
func TestRetrylessIsNotForTheAsking(t *testing.T) {
	w := inServers(t, serverRetryless, "enforce").as("mallory")
	p := pod(container("train", "", ""))
	annotated(&p.ObjectMeta, "berth.dev/retryless", "true")
	_, err := w.tryPod(p)
	if err == nil || !contains(err.Error(), "guaranteed-qos") {
		t.Errorf("a bare pod without limits: %v, want a denial", err)
	}
	limited := job("limited", podSpec(container("train", "", "cpu=1 memory=1Gi")),
		"berth.dev/retryless", "true")
	if got := w.createJob(limited); got.Spec.Template.Annotations["berth.dev/retryless"] != "" {
		t.Error("a Job that is retried kept the annotation")
	}
	if got := w.createJob(job("bare", podSpec(container("train", "", "")))); !isRetryless(got) {
		t.Errorf("a Job without limits: %s", jsonOf(t, got.Spec))
	}
}

func isRetryless(j *batchv1.Job) bool {
	return j.Spec.Template.Annotations["berth.dev/retryless"] == "true" && *j.Spec.BackoffLimit == 0 &&
		j.Spec.PodFailurePolicy == nil
}
