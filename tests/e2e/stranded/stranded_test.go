package stranded

import (
	"reflect"
	"slices"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"berth.dev/berth/tests/e2e/fleet"
)

func podOn(node, resource string, devices int64) corev1.Pod {
	pod := fleet.Ask{Resource: resource, Devices: devices}.Pod("p")
	pod.Spec.NodeName = node
	return *pod
}

func TestFreeDevicesAreStrandedWhilePodsWait(t *testing.T) {
	pools := fleet.Small(2) // 16 V100, 8 MN-Core, 8 A100, 12 A30
	cases := []struct {
		name string
		pods []corev1.Pod
		want Holding
	}{
		{"nobody waits", []corev1.Pod{podOn("mn2a-001", fleet.ResourceGPU, 1)},
			Holding{Stranded: map[string]int64{}}},
		{"who waits wants another resource", []corev1.Pod{
			podOn("mn2a-001", fleet.ResourceGPU, 1), podOn("", fleet.ResourceMNCore, 4)},
			Holding{Stranded: map[string]int64{"MN-Core": 8}, Waiting: 1, Asked: 4}},
		{"a pod waits", []corev1.Pod{
			podOn("mn2a-001", fleet.ResourceGPU, 8), podOn("mn2a-002", fleet.ResourceGPU, 1),
			podOn("mn2b-a30-001", fleet.ResourceGPU, 4), podOn("", fleet.ResourceGPU, 8),
			podOn("", fleet.ResourceGPU, 2)},
			Holding{Stranded: map[string]int64{"V100": 7, "A100": 8, "A30": 8}, Waiting: 2, Asked: 10,
				Whole: 1}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			if got := Of(pools, c.pods); !reflect.DeepEqual(got, c.want) {
				t.Errorf("Holding %+v, want %+v", got, c.want)
			}
		})
	}
}

func TestTotalOfStrandedDevices(t *testing.T) {
	h := Holding{Stranded: map[string]int64{"V100": 7, "A100": 8}}
	if h.Total() != 15 {
		t.Errorf("total %d, want 15", h.Total())
	}
}

func TestUntilCapacity(t *testing.T) {
	pools := fleet.Small(1) // 22 devices
	pod := podOn("", fleet.ResourceGPU, 8)
	cases := []struct{ pods, want int }{{0, 0}, {2, 2}, {3, 2}, {9, 2}}
	for _, c := range cases {
		if got := UntilCapacity(pools, slices.Repeat([]*corev1.Pod{&pod}, c.pods)); got != c.want {
			t.Errorf("%d of %d pods of 8 devices, want %d", got, c.pods, c.want)
		}
	}
}
