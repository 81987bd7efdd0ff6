package main

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"berth.dev/berth/tests/e2e/fleet"
)

const (
	namespaces = 4
	// varied is the number of pods that take turns. They have more than 20 shapes: what is asked for
	// of which model, and how many.
	varied = 64
	// shapes is more than any cache is going to remember, so that of as many that take turns each
	// counts as new.
	shapes = 256
)

// pods of mixed models, sizes and namespaces. They say so by annotations alone and need next to no
// cores and memory, so kube-scheduler by itself would take any node, and asks about all.
func pods(seed uint64, count int) []*corev1.Pod {
	all := fleet.Mix(seed, count)
	for i, pod := range all {
		pod.Namespace = namespaceName(i % namespaces)
		pod.Spec.Affinity = nil
		resources := pod.Spec.Containers[0].Resources
		for _, list := range []corev1.ResourceList{resources.Requests, resources.Limits} {
			list[corev1.ResourceCPU] = resource.MustParse("10m")
			list[corev1.ResourceMemory] = resource.MustParse("10Mi")
		}
	}
	return all
}

// newPods are pods of which each has a shape of its own.
func newPods(count int) []*corev1.Pod {
	var all []*corev1.Pod
	for i := range count {
		ask := fleet.Ask{Name: "new", Memory: fmt.Sprintf("%dMi", i+1), Resource: fleet.ResourceGPU,
			Devices: 1}
		all = append(all, ask.Pod(fmt.Sprintf("new-%d", i)))
	}
	return all
}

func namespaceName(index int) string { return fmt.Sprintf("team-%d", index+1) }
