package main

import (
	"math/rand/v2"
	"slices"
	"sort"
	"time"

	corev1 "k8s.io/api/core/v1"

	"berth.dev/berth/tests/e2e/fleet"
)

const (
	podInterval = 55 * time.Millisecond

	// Faults begin and are repaired while pods arrive: when so much of the workload has been created.
	faultsFrom, faultsTo   = 0.25, 0.45
	repairsFrom, repairsTo = 0.70, 0.85

	oneNodeIn = 8 // of every pool breaks
)

// fault is a condition that a node gets and loses.
type fault struct {
	node      string
	condition string
	byStage   bool // KWOK puts it on and takes it off; else by a patch of the node's status
	late      bool // repaired only after the last pod has arrived
}

// scenario is all that happens to a cluster. The same seed makes the same scenario.
type scenario struct {
	pools  []fleet.Pool
	pods   []*corev1.Pod
	faults []fault
	waiter *corev1.Pod // asks for what is broken to the last node when the workload has arrived
}

// step is one thing that happens while pods arrive.
type step struct {
	at     time.Duration // from the start of the scenario
	pod    *corev1.Pod   // to create, else
	fault  *fault        // to put on or
	repair bool          // to take off
}

func newScenario(seed uint64, pods int) scenario {
	pools := fleet.Reference()
	waiter := fleet.Ask{Name: "a100-80gib", Accelerators: []string{"A100"}, Memory: "80Gi",
		Resource: fleet.ResourceGPU, Devices: 1, Cores: 16, MemoryGiB: 200}
	return scenario{
		pools:  pools,
		pods:   fleet.Workload(seed, pods),
		faults: drawFaults(rand.New(rand.NewPCG(seed, 1)), pools),
		waiter: waiter.Pod("a100-80gib-waits"),
	}
}

// drawFaults breaks one node in eight of every pool, and a whole batch: all A100 with 80 GB.
func drawFaults(random *rand.Rand, pools []fleet.Pool) []fault {
	var faults []fault
	for _, pool := range pools {
		if pool.Accelerator == "" {
			continue
		}
		for index, node := range fleet.Nodes([]fleet.Pool{pool}, time.Time{}) {
			batch := node.Labels["nvidia.com/gpu.memory"] == "81920"
			if !batch && random.IntN(oneNodeIn) != 0 {
				continue
			}
			f := fault{node: node.Name, condition: drawCondition(random, pool), late: batch}
			if batch {
				f.condition = "GPUPendingPage"
			}
			f.byStage = index%2 == 0
			faults = append(faults, f)
		}
	}
	random.Shuffle(len(faults), func(i, j int) { faults[i], faults[j] = faults[j], faults[i] })
	return faults
}

func drawCondition(random *rand.Rand, pool fleet.Pool) string {
	if pool.Resource != fleet.ResourceGPU {
		return "DStateProcess"
	}
	conditions := []string{"GPUIsLost", "GPURuntimeError", "GPUPendingPage", "DStateProcess"}
	return conditions[random.IntN(len(conditions))]
}

// steps lists what happens while pods arrive, in order of time.
func (s scenario) steps() []step {
	length := time.Duration(len(s.pods)) * podInterval
	var steps []step
	for i, pod := range s.pods {
		steps = append(steps, step{at: time.Duration(i) * podInterval, pod: pod})
	}
	for i := range s.faults {
		f, share := &s.faults[i], float64(i)/float64(len(s.faults))
		steps = append(steps, step{at: between(length, faultsFrom, faultsTo, share), fault: f})
		if !f.late {
			repairAt := between(length, repairsFrom, repairsTo, share)
			steps = append(steps, step{at: repairAt, fault: f, repair: true})
		}
	}
	sort.SliceStable(steps, func(i, j int) bool { return steps[i].at < steps[j].at })
	return steps
}

// lateRepairs are the faults that last until the workload has arrived.
func (s scenario) lateRepairs() []fault {
	return slices.DeleteFunc(slices.Clone(s.faults), func(f fault) bool { return !f.late })
}

func between(length time.Duration, from, to, share float64) time.Duration {
	return time.Duration(float64(length) * (from + (to-from)*share))
}
