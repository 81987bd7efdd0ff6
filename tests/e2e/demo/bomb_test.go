package main

import (
	"testing"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
)

func TestBombCountsKilledPodsAndTheirNodes(t *testing.T) {
	pod := func(node string, phase corev1.PodPhase) corev1.Pod {
		return corev1.Pod{
			Spec: corev1.PodSpec{NodeName: node}, Status: corev1.PodStatus{Phase: phase},
		}
	}
	var story bomb
	story.count([]corev1.Pod{
		pod("a", corev1.PodFailed), pod("b", corev1.PodFailed), pod("a", corev1.PodFailed),
		pod("c", corev1.PodRunning),
	})
	if story.pods != 3 || story.nodes != 2 {
		t.Errorf("%d pods on %d nodes, want 3 on 2", story.pods, story.nodes)
	}
}

func TestJobHasFailedWhenItsConditionHolds(t *testing.T) {
	for status, want := range map[corev1.ConditionStatus]string{
		corev1.ConditionTrue: "BackoffLimitExceeded", corev1.ConditionFalse: "",
	} {
		job := &batchv1.Job{Status: batchv1.JobStatus{Conditions: []batchv1.JobCondition{
			{Type: batchv1.JobFailureTarget, Status: corev1.ConditionTrue, Reason: "BackoffLimitExceeded"},
			{Type: batchv1.JobFailed, Status: status, Reason: "BackoffLimitExceeded"},
		}}}
		if got := failure(job); got != want {
			t.Errorf("with Failed %s the Job failed by %q, want %q", status, got, want)
		}
	}
}

// It defaults to six retries, so it must not say how many it wants.
func TestBombIsWrittenWithoutLimitsAndRetries(t *testing.T) {
	job := bombJob()
	if job.Spec.BackoffLimit != nil || job.Spec.PodFailurePolicy != nil {
		t.Error("the bomb says how often it wants to be retried")
	}
	limits := job.Spec.Template.Spec.Containers[0].Resources.Limits
	if _, has := limits[corev1.ResourceMemory]; has {
		t.Error("the bomb has a memory limit")
	}
}
