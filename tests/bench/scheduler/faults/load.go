package faults

import (
	"fmt"
	"math/rand/v2"

	corev1 "k8s.io/api/core/v1"

	"berth.dev/berth/tests/e2e/fleet"
)

// mostUsed is the share of the devices that pods take at most: nodes break, too.
const mostUsed = 0.7

// shares are what a pod takes of a node with each accelerator, for one device.
var shares = map[string]fleet.Ask{
	"V100":    {Cores: 4, MemoryGiB: 40},
	"MN-Core": {Cores: 7, MemoryGiB: 80},
	"A100":    {Cores: 16, MemoryGiB: 200},
	"A30":     {Cores: 12, MemoryGiB: 80},
}

// load are pods of one device of one model each, as many of each model as the model has of all devices:
// whatever is placed where, the others have room.
func load(pools []fleet.Pool, seed uint64, count int) []*corev1.Pod {
	all, before := devicesOf(pools), 0
	var pods []*corev1.Pod
	for _, pool := range pools {
		before += pool.Nodes * int(pool.Devices)
		for len(pods)*all < before*count {
			pods = append(pods, podFor(pool, len(pods)))
		}
	}
	rand.New(rand.NewPCG(seed, 10)).Shuffle(len(pods), func(i, j int) {
		pods[i], pods[j] = pods[j], pods[i]
	})
	return pods
}

func podFor(pool fleet.Pool, index int) *corev1.Pod {
	ask := shares[pool.Accelerator]
	ask.Name, ask.Resource, ask.Devices = pool.Name, pool.Resource, 1
	ask.Accelerators = []string{pool.Accelerator}
	return ask.Pod(fmt.Sprintf("%s-%04d", pool.Name, index))
}

func devicesOf(pools []fleet.Pool) int {
	devices := 0
	for _, pool := range pools {
		devices += pool.Nodes * int(pool.Devices)
	}
	return devices
}
