//go:build cluster

package node

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
)

// A Job that needs more memory than it says needs more on the next node, too.
func TestJobOutOfMemoryIsNotRetried(t *testing.T) {
	enforced, asWritten := enter(t).teams("greedy")
	cases := []struct {
		team *team
		pods int
	}{{enforced, 1}, {asWritten, 2}}
	for _, c := range cases {
		c.team.start("train", trainer(nil, "eat", "256"), func(job *batchv1.JobSpec) {
			job.BackoffLimit = new(int32(1))
		})
	}
	for _, c := range cases {
		for _, pod := range c.team.awaitFailure("train", c.pods) {
			expectOutOfMemory(t, &pod)
		}
	}
}

func expectOutOfMemory(t *testing.T, pod *corev1.Pod) {
	t.Helper()
	if end := terminated(pod); end == nil || end.Reason != "OOMKilled" {
		t.Errorf("%s/%s has ended as %v, want OOMKilled", pod.Namespace, pod.Name, end)
	}
}

// What the policy writes the kernel holds the pod to.
func TestGuaranteedPodHasItsLimits(t *testing.T) {
	w := enter(t)
	w.giveDevices()
	burstable := trainer(nil, "count", "6000")
	burstable.Spec.Containers[0].Resources.Requests = corev1.ResourceList{
		corev1.ResourceMemory: resource.MustParse("16Mi")}
	pod := w.team("limited", "enforce").run("train", burstable)
	if pod.Status.QOSClass != corev1.PodQOSGuaranteed {
		t.Errorf("is %s", pod.Status.QOSClass)
	}
	_, id, _ := strings.Cut(pod.Status.ContainerStatuses[0].ContainerID, "://")
	for _, folder := range []string{"pod" + string(pod.UID), "pod" + string(pod.UID) + "/" + id} {
		if got := memoryLimit(w, folder); got != "67108864" {
			t.Errorf("%s may take %q bytes", folder, got)
		}
		if got := cpuLimit(w, folder); got != "10000 100000" {
			t.Errorf("%s may take %q microseconds", folder, got)
		}
	}
}

// memoryLimit is that of a folder of Guaranteed pods, in either version of cgroups.
func memoryLimit(w *world, folder string) string {
	w.Helper()
	return w.cgroup([]string{"memory/kubepods", folder, "memory.limit_in_bytes"},
		[]string{"kubepods", folder, "memory.max"})
}

// cpuLimit is so many microseconds of a period of so many.
func cpuLimit(w *world, folder string) string {
	w.Helper()
	quota := w.cgroup([]string{"cpu/kubepods", folder, "cpu.cfs_quota_us"},
		[]string{"kubepods", folder, "cpu.max"})
	if strings.Contains(quota, " ") {
		return quota
	}
	return quota + " " + w.cgroup([]string{"cpu/kubepods", folder, "cpu.cfs_period_us"}, nil)
}

// cgroup reads the file of the one version, else that of the other.
func (w *world) cgroup(first, second []string) string {
	w.Helper()
	content, err := os.ReadFile(filepath.Join("/sys/fs/cgroup", filepath.Join(first...)))
	if os.IsNotExist(err) {
		content, err = os.ReadFile(filepath.Join("/sys/fs/cgroup", filepath.Join(second...)))
	}
	w.Check("read a limit", err)
	return strings.TrimSpace(string(content))
}
