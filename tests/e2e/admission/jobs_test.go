package admission

import (
	"fmt"
	"testing"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

func indexed(j *batchv1.Job, count int32) *batchv1.Job {
	j.Spec.CompletionMode = new(batchv1.IndexedCompletion)
	j.Spec.Completions, j.Spec.Parallelism = &count, &count
	return j
}

// expectUnretried fails the test unless only a disruption of its pods has the Job make new ones.
func (w *world) expectUnretried(j *batchv1.Job) {
	w.Helper()
	if j.Spec.BackoffLimitPerIndex == nil && *j.Spec.BackoffLimit != 0 {
		w.Errorf("backoffLimit is %d", *j.Spec.BackoffLimit)
	}
	if j.Spec.BackoffLimitPerIndex != nil && *j.Spec.BackoffLimitPerIndex != 0 {
		w.Errorf("backoffLimitPerIndex is %d", *j.Spec.BackoffLimitPerIndex)
	}
	if j.Spec.PodFailurePolicy == nil || len(j.Spec.PodFailurePolicy.Rules) == 0 {
		w.Fatal("has no podFailurePolicy")
	}
	rule := j.Spec.PodFailurePolicy.Rules[0]
	if rule.Action != batchv1.PodFailurePolicyActionIgnore || len(rule.OnPodConditions) != 1 ||
		rule.OnPodConditions[0].Type != corev1.DisruptionTarget {
		w.Errorf("the first rule is %s", jsonOf(w.T, rule))
	}
	if *j.Spec.PodReplacementPolicy != batchv1.Failed {
		w.Errorf("podReplacementPolicy is %s", *j.Spec.PodReplacementPolicy)
	}
	if j.Spec.Template.Spec.RestartPolicy != corev1.RestartPolicyNever {
		w.Errorf("restartPolicy is %s", j.Spec.Template.Spec.RestartPolicy)
	}
}

// Of every kind of Job the real controller makes pods that run and are safe.
func TestJobsAreMadeSafeAndRun(t *testing.T) {
	w := in(t, "enforce")
	spec := podSpec(container("train", "", "nvidia.com/gpu=1"))
	restarting := podSpec(container("train", "", ""))
	restarting.RestartPolicy = corev1.RestartPolicyOnFailure
	perIndex := indexed(job("per-index", spec), 2)
	perIndex.Spec.BackoffLimitPerIndex = new(int32(3))
	explicit := job("explicit", spec)
	explicit.Spec.BackoffLimit = new(int32(4))
	for _, c := range []struct {
		job  *batchv1.Job
		pods int
	}{
		{job("plain", spec), 1},
		{job("restarting", restarting), 1},
		{explicit, 1},
		{indexed(job("indexed", spec), 2), 2},
		{perIndex, 2},
	} {
		t.Run(c.job.Name, func(t *testing.T) {
			inner := w.within(t)
			inner.expectUnretried(inner.createJob(c.job))
			for _, p := range inner.runningOf(c.job.Name, c.pods) {
				if p.Status.QOSClass != corev1.PodQOSGuaranteed {
					t.Errorf("pod %s is %s: %s", p.Name, p.Status.QOSClass, resourcesOf(t, &p))
				}
			}
		})
	}
}

// runningOf waits until so many pods of the Job run and returns them.
func (w *world) runningOf(job string, count int) []corev1.Pod {
	w.Helper()
	var found []corev1.Pod
	w.Await(fmt.Sprintf("%d running pods of %s", count, job), func() bool {
		list, err := w.client.CoreV1().Pods(w.namespace).List(w.Context(), metav1.ListOptions{
			LabelSelector: batchv1.JobNameLabel + "=" + job,
			FieldSelector: "status.phase=Running"})
		w.Check("list pods", err)
		found = list.Items
		return len(found) == count
	})
	return found
}

func TestJobWithLimitsAndWithoutDevicesKeepsItsRetries(t *testing.T) {
	w := in(t, "enforce")
	got := w.createJob(job("careful", podSpec(container("train", "", "cpu=1 memory=1Gi"))))
	if *got.Spec.BackoffLimit != 6 || got.Spec.PodFailurePolicy != nil {
		t.Errorf("backoffLimit %d, podFailurePolicy %v", *got.Spec.BackoffLimit, got.Spec.PodFailurePolicy)
	}
}

func TestSuspendedJobRunsWhenItIsUnsuspended(t *testing.T) {
	w := in(t, "enforce")
	suspended := job("queued", podSpec(container("train", "", "nvidia.com/gpu=1")))
	suspended.Spec.Suspend = new(true)
	w.expectUnretried(w.createJob(suspended))
	w.heard.forget()
	_, err := w.patchJob("queued", `{"spec":{"suspend":false}}`)
	w.Check("unsuspend", err)
	w.runningOf("queued", 1)
	w.expectSilence()
}

func (w *world) patchJob(name, patch string) (*batchv1.Job, error) {
	return w.client.BatchV1().Jobs(w.namespace).Patch(w.Context(), name, types.MergePatchType,
		[]byte(patch), metav1.PatchOptions{})
}

// Its template cannot be changed any more, and its author must not be locked out of it.
func TestJobFromBeforeBerthCanBeUpdated(t *testing.T) {
	w := in(t, "off")
	before := indexed(job("old", podSpec(container("train", "", ""))), 1)
	before.Spec.Suspend = new(true)
	w.createJob(before)
	w.setMode("enforce")
	for _, patch := range []string{
		`{"metadata":{"labels":{"project":"vision"}}}`,
		`{"spec":{"activeDeadlineSeconds":3600}}`,
		`{"spec":{"suspend":false}}`,
		`{"spec":{"backoffLimit":5}}`, // fewer than the six that it had
	} {
		got, err := w.patchJob("old", patch)
		w.Check(patch, err)
		if got.Spec.PodFailurePolicy != nil || got.Annotations[applied] != "" {
			t.Errorf("%s had the Job changed: %s", patch, jsonOf(t, got.Spec))
		}
	}
	// Its pods are new, and they are made safe.
	if got := w.runningOf("old", 1)[0]; got.Status.QOSClass != corev1.PodQOSGuaranteed {
		t.Errorf("its pod is %s", got.Status.QOSClass)
	}
}

func TestRetriesCannotBeAddedAfterwards(t *testing.T) {
	w := in(t, "off")
	w.createJob(job("old", podSpec(container("train", "", "nvidia.com/gpu=1"))))
	w.setMode("enforce")
	w.createJob(job("plain", podSpec(container("train", "", "nvidia.com/gpu=1"))))
	w.heard.forget()
	got, err := w.patchJob("plain", `{"spec":{"backoffLimit":6}}`)
	w.Check("patch the Job that Berth has changed", err)
	if *got.Spec.BackoffLimit != 0 {
		t.Errorf("backoffLimit became %d", *got.Spec.BackoffLimit)
	}
	w.expectWarned("berth: spec.backoffLimit stays 0")
	_, err = w.patchJob("old", `{"spec":{"backoffLimit":8}}`)
	if !apierrors.IsInvalid(err) {
		t.Fatalf("got %v, want a denial", err)
	}
	for _, part := range []string{"job-retries", "spec.backoffLimit"} {
		if !contains(err.Error(), part) {
			t.Errorf("the denial does not say %q: %v", part, err)
		}
	}
}

// The same manifest applied again changes nothing and is no conflict.
func TestServerSideApplyTwice(t *testing.T) {
	w := in(t, "enforce")
	manifest := []byte(`
apiVersion: batch/v1
kind: Job
metadata: {name: applied}
spec:
  template:
    spec:
      restartPolicy: Never
      containers:
      - name: train
        image: registry.example/train:1
        resources: {limits: {nvidia.com/gpu: 1}}
`)
	apply := func() *batchv1.Job {
		got, err := w.client.BatchV1().Jobs(w.namespace).Patch(t.Context(), "applied",
			types.ApplyYAMLPatchType, manifest, metav1.PatchOptions{FieldManager: "kubectl"})
		w.Check("apply", err)
		return got
	}
	first := apply()
	w.expectUnretried(first)
	w.runningOf("applied", 1)
	before := w.job("applied")
	w.heard.forget()
	if second := apply(); second.Generation != before.Generation {
		t.Errorf("generation %d became %d: %s", before.Generation, second.Generation, jsonOf(t, second.Spec))
	}
	w.expectSilence()
}
