//go:build cluster

package node

import (
	"slices"
	"testing"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
)

// filler writes so many MiB to the node's disk, which has 256 and from which kubelet evicts when
// half of it is full. It has memory for that: the disk is in memory.
func filler(annotations map[string]string, mebibytes string) corev1.PodTemplateSpec {
	template := trainer(annotations, "fill", scratch, mebibytes)
	template.Spec.Volumes = []corev1.Volume{{Name: "scratch",
		VolumeSource: corev1.VolumeSource{EmptyDir: &corev1.EmptyDirVolumeSource{}}}}
	main := &template.Spec.Containers[0]
	main.VolumeMounts = []corev1.VolumeMount{{Name: "scratch", MountPath: scratch}}
	main.Resources.Limits[corev1.ResourceMemory] = resource.MustParse("256Mi")
	return template
}

// It may have been the neighbour who filled the disk.
func TestEvictedJobIsRetried(t *testing.T) {
	w := enter(t)
	w.giveDevices()
	inner := w.team("evicted", "enforce")
	inner.openClaim("checkpoints")
	inner.start("train", filler(map[string]string{checkpointAnnotation: "true"}, "160"), nil)
	pods := inner.awaitEnd("train", batchv1.JobComplete)
	if len(pods) != 2 {
		t.Fatalf("%d pods, want 2", len(pods))
	}
	expectEvicted(t, &pods[0], true)
	if pods[1].Status.Phase != corev1.PodSucceeded {
		t.Errorf("the second pod is %s", pods[1].Status.Phase)
	}
}

// Nothing says who has filled the disk: kubelet calls it a disruption each time. So a Job is retried
// as often as its author says, and no more.
func TestDiskFillerComesToAnEnd(t *testing.T) {
	w := enter(t)
	w.giveDevices()
	inner := w.team("filling", "enforce")
	inner.start("train", filler(nil, "160"), func(job *batchv1.JobSpec) {
		job.BackoffLimit = new(int32(1))
	})
	for _, pod := range inner.awaitFailure("train", 2) {
		expectEvicted(t, &pod, true)
	}
}

// Who writes more than the pod's own limit allows would do so elsewhere.
func TestEvictedForItsOwnLimitIsNotRetried(t *testing.T) {
	w := enter(t)
	w.giveDevices()
	inner := w.team("overflowing", "enforce")
	template := filler(nil, "64")
	template.Spec.Volumes[0].EmptyDir.SizeLimit = new(resource.MustParse("32Mi"))
	inner.start("train", template, nil)
	for _, pod := range inner.awaitFailure("train", 1) {
		expectEvicted(t, &pod, false)
	}
}

// expectEvicted fails the test unless it was kubelet that ended the pod, as a disruption that rules
// of Jobs can see, or not as one.
func expectEvicted(t *testing.T, pod *corev1.Pod, disrupted bool) {
	t.Helper()
	got := slices.ContainsFunc(pod.Status.Conditions, func(c corev1.PodCondition) bool {
		return c.Type == corev1.DisruptionTarget && c.Status == corev1.ConditionTrue &&
			c.Reason == corev1.PodReasonTerminationByKubelet
	})
	if pod.Status.Reason != "Evicted" || got != disrupted {
		t.Errorf("%s has ended as %q (%s), disrupted: %v, want Evicted and %v", pod.Name,
			pod.Status.Reason, pod.Status.Message, got, disrupted)
	}
}
