package e2e

import (
	"fmt"
	"sync/atomic"

	corev1 "k8s.io/api/core/v1"

	"berth.dev/berth/tests/e2e/fleet"
)

var podNumber atomic.Int64

// gpus makes a pod that asks for so many GPUs of one of the models; of any if none is named.
func gpus(devices int64, models ...string) *corev1.Pod {
	return named(fleet.Ask{Name: "gpu", Accelerators: models, Resource: fleet.ResourceGPU,
		Devices: devices, Cores: 1, MemoryGiB: 8})
}

// gpusWith makes a pod that asks for so many GPUs of a model with a minimum of memory each.
func gpusWith(memory string, devices int64, models ...string) *corev1.Pod {
	return named(fleet.Ask{Name: "gpu-memory", Accelerators: models, Memory: memory,
		Resource: fleet.ResourceGPU, Devices: devices, Cores: 1, MemoryGiB: 8})
}

func mnCores(devices int64, models ...string) *corev1.Pod {
	return named(fleet.Ask{Name: "mn-core", Accelerators: models, Resource: fleet.ResourceMNCore,
		Devices: devices, Cores: 1, MemoryGiB: 8})
}

func named(ask fleet.Ask) *corev1.Pod {
	return ask.Pod(fmt.Sprintf("%s-%d", ask.Name, podNumber.Add(1)))
}

// nodesOf names the nodes of a pool of the small fleet.
func nodesOf(pool string) []string {
	var names []string
	for _, p := range fleet.Small(nodesPerPool) {
		for index := range p.Nodes {
			if p.Name == pool {
				names = append(names, p.NodeName(index))
			}
		}
	}
	return names
}
