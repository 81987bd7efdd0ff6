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
)

func indexed(j *batchv1.Job, count int32) *batchv1.Job {
	j.Spec.CompletionMode = new(batchv1.IndexedCompletion)
	j.Spec.Completions, j.Spec.Parallelism = &count, &count
	return j
}

// expectLimit fails the test unless so many disruptions of the Job are retried.
func (w *world) expectLimit(j *batchv1.Job, limit int32) {
	w.Helper()
	got := *j.Spec.BackoffLimit
	if j.Spec.BackoffLimitPerIndex != nil {
		got = *j.Spec.BackoffLimitPerIndex
	}
	if got != limit {
		w.Errorf("%d retries, want %d", got, limit)
	}
}

// expectUnretried fails the test unless only a disruption of its pods has the Job make new ones.
func (w *world) expectUnretried(j *batchv1.Job) {
	w.Helper()
	disrupted, fails := batchv1.PodFailurePolicyActionCount, batchv1.PodFailurePolicyActionFailJob
	if j.Spec.BackoffLimitPerIndex != nil {
		fails = batchv1.PodFailurePolicyActionFailIndex
	}
	if *j.Spec.Suspend { // no rule may fail the pods that are deleted when it is suspended again
		disrupted, fails = batchv1.PodFailurePolicyActionIgnore, ""
		w.expectLimit(j, 0)
	}
	if j.Spec.PodFailurePolicy == nil || len(j.Spec.PodFailurePolicy.Rules) == 0 {
		w.Fatalf("podFailurePolicy is %s", jsonOf(w.T, j.Spec.PodFailurePolicy))
	}
	rules := j.Spec.PodFailurePolicy.Rules
	first, last := rules[0], rules[len(rules)-1]
	if first.Action != disrupted || len(first.OnPodConditions) != 1 ||
		first.OnPodConditions[0].Type != corev1.DisruptionTarget {
		w.Errorf("the first rule is %s", jsonOf(w.T, first))
	}
	if fails == "" {
		if len(rules) != 1 {
			w.Errorf("the rules are %s", jsonOf(w.T, rules))
		}
	} else if last.Action != fails || last.OnExitCodes == nil ||
		last.OnExitCodes.Operator != batchv1.PodFailurePolicyOnExitCodesOpNotIn ||
		!slices.Equal(last.OnExitCodes.Values, []int32{0}) {
		w.Errorf("the last rule is %s", jsonOf(w.T, last))
	}
	if *j.Spec.PodReplacementPolicy != batchv1.Failed {
		w.Errorf("podReplacementPolicy is %s", *j.Spec.PodReplacementPolicy)
	}
	if j.Spec.Template.Spec.RestartPolicy != corev1.RestartPolicyNever {
		w.Errorf("restartPolicy is %s", j.Spec.Template.Spec.RestartPolicy)
	}
	for _, c := range j.Spec.Template.Spec.Containers {
		restarts := c.RestartPolicy != nil && *c.RestartPolicy != corev1.ContainerRestartPolicyNever
		if restarts || len(c.RestartPolicyRules) > 0 {
			w.Errorf("%s restarts by itself: %s", c.Name, jsonOf(w.T, c))
		}
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
	resizing := podSpec(container("train", "", "nvidia.com/gpu=1"))
	resizing.RestartPolicy = corev1.RestartPolicyOnFailure
	resizing.Containers[0].ResizePolicy = []corev1.ContainerResizePolicy{
		{ResourceName: corev1.ResourceMemory, RestartPolicy: corev1.RestartContainer}}
	byExitCode := podSpec(container("train", "", "nvidia.com/gpu=1"))
	byExitCode.Containers[0].RestartPolicy = new(corev1.ContainerRestartPolicyOnFailure)
	byExitCode.Containers[0].RestartPolicyRules = []corev1.ContainerRestartRule{{
		Action: corev1.ContainerRestartRuleActionRestart,
		ExitCodes: &corev1.ContainerRestartRuleOnExitCodes{
			Operator: corev1.ContainerRestartRuleOnExitCodesOpIn, Values: []int32{137}}}}
	succeeding := indexed(job("succeeding", spec), 2)
	succeeding.Spec.SuccessPolicy = &batchv1.SuccessPolicy{
		Rules: []batchv1.SuccessPolicyRule{{SucceededIndexes: new("0")}}}
	for _, c := range []struct {
		job   *batchv1.Job
		pods  int
		limit int32
	}{
		{job("plain", spec), 1, 6},
		{job("restarting", restarting), 1, 6},
		{job("resizing", resizing), 1, 6},
		{job("by-exit-code", byExitCode), 1, 6},
		{explicit, 1, 4},
		{indexed(job("indexed", spec), 2), 2, 12},
		{perIndex, 2, 3},
		{succeeding, 2, 6},
	} {
		t.Run(c.job.Name, func(t *testing.T) {
			inner := w.within(t)
			created := inner.createJob(c.job)
			inner.expectUnretried(created)
			inner.expectLimit(created, c.limit)
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
	suspend := func(suspended string) {
		_, err := w.patchJob("queued", `{"spec":{"suspend":`+suspended+`}}`)
		w.Check("suspend: "+suspended, err)
	}
	suspend("false")
	w.runningOf("queued", 1)
	suspend("true") // its pod is killed by SIGTERM, which is no failure
	w.Await("its pod to go", func() bool { return len(w.pods()) == 0 })
	suspend("false")
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
	limited := job("limited", podSpec(container("train", "", "nvidia.com/gpu=1")))
	limited.Spec.BackoffLimit = new(int32(1000))
	stored := w.createJob(limited)
	w.heard.forget()
	got, err := w.patchJob("limited", `{"spec":{"backoffLimit":1000}}`)
	w.Check("patch the Job that Berth has changed", err)
	if *got.Spec.BackoffLimit != *stored.Spec.BackoffLimit {
		t.Errorf("backoffLimit became %d", *got.Spec.BackoffLimit)
	}
	w.expectWarned("berth: spec.backoffLimit stays")
	_, err = w.patchJob("old", `{"spec":{"backoffLimit":1000}}`)
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
