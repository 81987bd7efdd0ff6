package main

import (
	corev1 "k8s.io/api/core/v1"

	"berth.dev/berth/tests/e2e/fleet"
)

// holding is what a cluster holds at a moment, counted from the API's objects.
type holding struct {
	stranded map[string]int64 // devices by accelerator: free, though pods that ask for them wait
	waiting  int              // pods without a node
	asked    int64            // devices that those ask for
	whole    int              // pods that got a whole node
}

// total is the number of stranded devices of all accelerators.
func (h holding) total() int64 {
	sum := int64(0)
	for _, devices := range h.stranded {
		sum += devices
	}
	return sum
}

// holdingOf counts a cluster of the pools in which no node is broken. Devices of a resource that no
// waiting pod asks for are free, but not stranded.
func holdingOf(pools []fleet.Pool, pods []corev1.Pod) holding {
	h := holding{stranded: map[string]int64{}}
	used, wanted := map[string]int64{}, map[string]bool{}
	byNode := poolsByNode(pools)
	for i := range pods {
		resource, devices := devicesOf(&pods[i])
		pool, bound := byNode[pods[i].Spec.NodeName]
		switch {
		case !bound:
			h.waiting++
			h.asked += devices
			wanted[resource] = true
		case devices == pool.Devices:
			h.whole++
			fallthrough
		default:
			used[pool.Accelerator] += devices
		}
	}
	for _, pool := range pools {
		if wanted[pool.Resource] {
			h.stranded[pool.Accelerator] += int64(pool.Nodes)*pool.Devices - used[pool.Accelerator]
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

// devicesOf is the accelerator resource that a pod asks for, and how many of it.
func devicesOf(pod *corev1.Pod) (resource string, devices int64) {
	for _, name := range []string{fleet.ResourceGPU, fleet.ResourceMNCore} {
		asked := pod.Spec.Containers[0].Resources.Requests[corev1.ResourceName(name)]
		if !asked.IsZero() {
			return name, asked.Value()
		}
	}
	return "", 0
}
