package placing

import (
	"slices"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"berth.dev/berth/tests/e2e/fleet"
)

func TestNodesThatHaveTooManyPodsAreFound(t *testing.T) {
	node := func(name string, gpus int64) corev1.Node {
		return corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name},
			Status: corev1.NodeStatus{Allocatable: corev1.ResourceList{
				fleet.ResourceGPU:     *resource.NewQuantity(gpus, resource.DecimalSI),
				corev1.ResourceCPU:    resource.MustParse("10"),
				corev1.ResourceMemory: resource.MustParse("100Gi"),
			}}}
	}
	ask := fleet.Ask{Resource: fleet.ResourceGPU, Devices: 1, Cores: 4, MemoryGiB: 8}
	on := func(node string, count int) []corev1.Pod {
		var pods []corev1.Pod
		for range count {
			pod := ask.Pod("a")
			pod.Spec.NodeName = node
			pods = append(pods, *pod)
		}
		return pods
	}
	nodes := []corev1.Node{node("full", 2), node("devices", 1), node("both", 2)}
	pods := slices.Concat(on("full", 2), on("devices", 2), on("both", 3), on("", 50))
	got := overcommitted(nodes, pods)
	want := []string{"both: 12 of 10 cpu, 3 of 2 nvidia.com/gpu", "devices: 2 of 1 nvidia.com/gpu"}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
