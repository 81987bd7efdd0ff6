package main

import (
	"reflect"
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
		want holding
	}{
		{"nobody waits", []corev1.Pod{podOn("mn2a-001", fleet.ResourceGPU, 1)},
			holding{stranded: map[string]int64{}}},
		{"who waits wants another resource", []corev1.Pod{
			podOn("mn2a-001", fleet.ResourceGPU, 1), podOn("", fleet.ResourceMNCore, 4)},
			holding{stranded: map[string]int64{"MN-Core": 8}, waiting: 1, asked: 4}},
		{"a pod waits", []corev1.Pod{
			podOn("mn2a-001", fleet.ResourceGPU, 8), podOn("mn2a-002", fleet.ResourceGPU, 1),
			podOn("mn2b-a30-001", fleet.ResourceGPU, 4), podOn("", fleet.ResourceGPU, 8),
			podOn("", fleet.ResourceGPU, 2)},
			holding{stranded: map[string]int64{"V100": 7, "A100": 8, "A30": 8}, waiting: 2, asked: 10,
				whole: 1}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			if got := holdingOf(pools, c.pods); !reflect.DeepEqual(got, c.want) {
				t.Errorf("holding %+v, want %+v", got, c.want)
			}
		})
	}
}

func TestTotalOfStrandedDevices(t *testing.T) {
	h := holding{stranded: map[string]int64{"V100": 7, "A100": 8}}
	if h.total() != 15 {
		t.Errorf("total %d, want 15", h.total())
	}
}
