//go:build cluster

package node

import (
	"slices"
	"strings"
	"testing"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"

	"berth.dev/berth/tests/e2e/box"
	"berth.dev/berth/tests/e2e/fleet"
)

const (
	preflightLabel = "berth.dev/preflight"
	gangAnnotation = "berth.dev/gang"
	model          = "NVIDIA-A30"
	gangNodes      = 2
)

// Two kubelets run a preflight: they admit the pods that the chart's controller writes, confine them
// and give them addresses; the programs find each other over the pod network by what their
// environment says, and the gang has the devices afterwards, not before.
func TestPreflightMeetsOverThePodNetwork(t *testing.T) {
	w := enter(t)
	w.giveDevices()
	w.label(fleet.LabelProduct, `"`+model+`"`)
	defer w.label(fleet.LabelProduct, "null")
	w.startPeer()
	inner := w.team("gang", "enforce")
	watched := w.watchPreflights()
	inner.start("train", member(), func(job *batchv1.JobSpec) {
		job.CompletionMode = new(batchv1.IndexedCompletion)
		job.Completions, job.Parallelism = new(int32(gangNodes)), new(int32(gangNodes))
	})

	checks := w.awaitGone(watched, gangNodes)
	var over time.Time
	for rank, pod := range checks {
		end := terminated(&pod)
		if end == nil || end.ExitCode != 0 {
			t.Fatalf("rank %d on %s has ended as %v, want exit code 0", rank, pod.Spec.NodeName, end)
		}
		if size := environment(&pod, "WORLD_SIZE"); size != "2" {
			t.Errorf("rank %d is told of %s nodes", rank, size)
		}
		if end.FinishedAt.After(over) {
			over = end.FinishedAt.Time
		}
	}
	first, told := checks[0].Status.PodIP, environment(&checks[1], "MASTER_ADDR")
	if first == "" || first != told {
		t.Errorf("rank 0 has had the address %q, and rank 1 was told %q", first, told)
	}
	on := map[string]bool{}
	for _, pod := range inner.awaitEnd("train", batchv1.JobComplete) {
		on[pod.Spec.NodeName] = true
		if bound(&pod).Before(over) {
			t.Errorf("%s was bound at %v, before the preflight had passed at %v", pod.Name, bound(&pod),
				over)
		}
	}
	for _, pod := range checks {
		if !on[pod.Spec.NodeName] || len(on) != gangNodes {
			t.Errorf("the gang ran on %v, and %s was checked", on, pod.Spec.NodeName)
		}
	}
}

// member is a pod of a gang that takes all devices of a real node, whichever.
func member() corev1.PodTemplateSpec {
	template := trainer(map[string]string{gangAnnotation: "true"}, "count", "1")
	template.Spec.NodeSelector = nil
	template.Spec.Affinity = &corev1.Affinity{NodeAffinity: &corev1.NodeAffinity{
		RequiredDuringSchedulingIgnoredDuringExecution: &corev1.NodeSelector{
			NodeSelectorTerms: []corev1.NodeSelectorTerm{{
				MatchExpressions: []corev1.NodeSelectorRequirement{
					{Key: box.LabelRealNode, Operator: corev1.NodeSelectorOpExists}}}}}}}
	template.Spec.Containers[0].Resources.Limits[fleet.ResourceGPU] =
		*resource.NewQuantity(devices, resource.DecimalSI)
	return template
}

// watchPreflights watches the pods of preflights from now on. These are gone as soon as they have
// told, so nobody who only looks from time to time would see how they end.
func (w *world) watchPreflights() watch.Interface {
	w.Helper()
	watched, err := shared.Client.CoreV1().Pods(namespace).Watch(w.Context(),
		metav1.ListOptions{LabelSelector: preflightLabel})
	w.Check("watch the pods of preflights", err)
	w.Cleanup(watched.Stop)
	return watched
}

// awaitGone waits until there were so many pods and all are gone, and returns them by rank, as they
// were last.
func (w *world) awaitGone(watched watch.Interface, count int) []corev1.Pod {
	w.Helper()
	var gone []corev1.Pod
	addresses := map[string]string{} // by name: kubelet may forget that of a pod that has ended
	late := time.After(awaitTimeout)
	for len(gone) < count {
		select {
		case event := <-watched.ResultChan():
			pod, isPod := event.Object.(*corev1.Pod)
			if !isPod {
				w.Fatalf("the watch has ended with %v", event.Object)
			}
			if pod.Status.PodIP != "" {
				addresses[pod.Name] = pod.Status.PodIP
			}
			if event.Type == watch.Deleted {
				pod.Status.PodIP = addresses[pod.Name]
				gone = append(gone, *pod)
			}
		case <-late:
			w.Fatalf("waited %s in vain for %d pods of a preflight to end, %d have", awaitTimeout, count,
				len(gone))
		}
	}
	slices.SortFunc(gone, func(a, b corev1.Pod) int {
		return strings.Compare(environment(&a, "RANK"), environment(&b, "RANK"))
	})
	return gone
}

// environment is what the program of a pod is told by this name.
func environment(pod *corev1.Pod, name string) string {
	for _, variable := range pod.Spec.Containers[0].Env {
		if variable.Name == name {
			return variable.Value
		}
	}
	return ""
}
