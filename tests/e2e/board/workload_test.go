//go:build browser

package board

import (
	"fmt"
	"math/rand/v2"

	corev1 "k8s.io/api/core/v1"

	"berth.dev/berth/tests/e2e/fleet"
)

const (
	createdBy = "berth.dev/created-by"

	sliceOfA100     = "nvidia.com/mig-1g.5gb"
	slicesPerDevice = 8 // as the catalogue has it
	slicesHeld      = slicesPerDevice - 2

	manyOwners  = 40
	waitingPods = 60
	gangPods    = 16
)

// workload is what a large cluster has to do: pods that hold most of its devices, and pods that wait.
// Equal pools make equal workloads.
type workload struct {
	pods []*corev1.Pod
	// devices that are held, as the board counts them.
	held int
	// devices of each node that nobody holds.
	free map[string]int64
	// rows of the list of what waits: a gang is one.
	rows int

	random *rand.Rand
}

// newWorkload has most nodes held by one pod each, as those of large trainings are, and others by
// pods of several owners. Some A100s are held in slices, some devices by nobody.
func newWorkload(pools []fleet.Pool) *workload {
	w := &workload{free: map[string]int64{}, random: rand.New(rand.NewPCG(75, 0))}
	for _, pool := range pools {
		for i := range pool.Nodes {
			w.fillNode(pool, pool.NodeName(i))
		}
	}
	w.addWaiting()
	return w
}

func (w *workload) fillNode(pool fleet.Pool, node string) {
	left := pool.Devices
	if pool.Accelerator == "A100" && w.random.IntN(4) == 0 {
		w.hold(node, sliceOfA100, slicesHeld/2)
		w.hold(node, sliceOfA100, slicesHeld/2)
		w.held++ // three quarters of a device
		left--
	}
	for left > 0 && w.random.IntN(10) < 8 {
		devices := left
		if w.random.IntN(3) == 0 {
			devices = min(left, int64(1)<<w.random.IntN(3))
		}
		w.hold(node, pool.Resource, devices)
		w.held += int(devices)
		left -= devices
	}
	w.free[node] = left
}

func (w *workload) hold(node, resource string, amount int64) {
	pod := w.add("held", fleet.Ask{Resource: resource, Devices: amount})
	pod.Spec.NodeName = node
}

// addWaiting adds pods that wait on their own, and a gang.
func (w *workload) addWaiting() {
	for i := range waitingPods {
		ask := fleet.Ask{Resource: fleet.ResourceGPU, Devices: int64(1) << w.random.IntN(4)}
		if i%3 == 0 {
			ask.Accelerators = []string{"A100", "V100"}
		}
		w.add("waits", ask).Spec.SchedulerName = nobody
	}
	for i := range gangPods {
		pod := fleet.Ask{Resource: fleet.ResourceGPU, Devices: 8}.Pod(gangPod(i))
		pod.Spec.SchedulerName = nobody
		pod.Annotations = map[string]string{createdBy: "nlp", "berth.dev/gang-name": "pretrain",
			"berth.dev/gang-size": fmt.Sprint(gangPods)}
		w.pods = append(w.pods, pod)
	}
	w.rows = waitingPods + 1
}

func gangPod(index int) string { return fmt.Sprintf("pretrain-%d", index) }

// add adds a pod of somebody's.
func (w *workload) add(what string, ask fleet.Ask) *corev1.Pod {
	pod := ask.Pod(fmt.Sprintf("%s-%05d", what, len(w.pods)))
	pod.Annotations[createdBy] = ownerOf(w.random.IntN(manyOwners))
	w.pods = append(w.pods, pod)
	return pod
}

// ownerOf is a name that no other owner's has in it.
func ownerOf(index int) string { return fmt.Sprintf("user-%02d", index) }

// of counts the pods of an owner.
func (w *workload) of(owner string) int {
	count := 0
	for _, pod := range w.pods {
		if pod.Annotations[createdBy] == owner {
			count++
		}
	}
	return count
}

// freeNodes are so many nodes of a pool of which nobody holds any device, the last ones first.
func (w *workload) freeNodes(pool fleet.Pool, count int) []string {
	var names []string
	for i := pool.Nodes - 1; i >= 0 && len(names) < count; i-- {
		if name := pool.NodeName(i); w.free[name] == pool.Devices {
			names = append(names, name)
		}
	}
	return names
}
