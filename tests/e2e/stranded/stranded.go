// Package stranded counts the devices that placement leaves free although pods that ask for such
// wait.
package stranded

import (
	corev1 "k8s.io/api/core/v1"

	"berth.dev/berth/tests/e2e/fleet"
)

// Holding is what a cluster holds at a moment, counted from the API's objects.
type Holding struct {
	Stranded map[string]int64 // devices by accelerator: free, though pods that ask for them wait
	Waiting  int              // pods without a node
	Asked    int64            // devices that those ask for
	Whole    int              // pods that got a whole node
}

// Total is the number of stranded devices of all accelerators.
func (h Holding) Total() int64 {
	sum := int64(0)
	for _, devices := range h.Stranded {
		sum += devices
	}
	return sum
}

// Of counts a cluster of the pools in which no node is broken. Devices of a resource that no
// waiting pod asks for are free, but not stranded.
func Of(pools []fleet.Pool, pods []corev1.Pod) Holding {
	h := Holding{Stranded: map[string]int64{}}
	used, wanted := map[string]int64{}, map[string]bool{}
	byNode := poolsByNode(pools)
	for i := range pods {
		resource, devices := DevicesOf(&pods[i])
		pool, bound := byNode[pods[i].Spec.NodeName]
		switch {
		case !bound:
			h.Waiting++
			h.Asked += devices
			wanted[resource] = true
		case devices == pool.Devices:
			h.Whole++
			fallthrough
		default:
			used[pool.Accelerator] += devices
		}
	}
	for _, pool := range pools {
		if wanted[pool.Resource] {
			h.Stranded[pool.Accelerator] += int64(pool.Nodes)*pool.Devices - used[pool.Accelerator]
		}
	}
	return h
}

func poolsByNode(pools []fleet.Pool) map[string]fleet.Pool {
	byNode := map[string]fleet.Pool{}
	for _, pool := range pools {
		for index := range pool.Nodes {
			byNode[pool.NodeName(index)] = pool
		}
	}
	return byNode
}

// DevicesOf is the accelerator resource that a pod asks for, and how many of it.
func DevicesOf(pod *corev1.Pod) (resource string, devices int64) {
	for _, name := range []string{fleet.ResourceGPU, fleet.ResourceMNCore} {
		asked := pod.Spec.Containers[0].Resources.Requests[corev1.ResourceName(name)]
		if !asked.IsZero() {
			return name, asked.Value()
		}
	}
	return "", 0
}

// UntilCapacity is how many of the pods ask for as many devices as there are.
func UntilCapacity(pools []fleet.Pool, pods []*corev1.Pod) int {
	left := int64(0)
	for _, pool := range pools {
		left += int64(pool.Nodes) * pool.Devices
	}
	for i, pod := range pods {
		_, devices := DevicesOf(pod)
		if left -= devices; left < 0 {
			return i
		}
	}
	return len(pods)
}
