//go:build frameworks

package frameworks

import (
	"slices"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"berth.dev/berth/tests/e2e/manifests"
	"berth.dev/berth/tests/e2e/witness"
)

// begin creates what asks for a gang while three nodes are free: it waits and holds nothing. Then all
// but those nodes in `busy` are free, and it runs in the fewest racks that hold it.
func (w *gangWorld) begin(
	framework string, pods, racks int, busy ...int,
) (object *unstructured.Unstructured, members []corev1.Pod) {
	w.Helper()
	var others []int
	for node := range gangNodes - 3 {
		if !slices.Contains(busy, node) {
			others = append(others, node)
		}
	}
	w.fill(busy...)
	w.fill(others...)
	object = w.create(gang(w.T, framework))
	gang := w.waits(pods)
	w.unfill(others...)
	members = w.runsWhole(gang, pods, racks)
	w.Await("the controller to count the racks", func() bool {
		gangs, sum := w.spans()
		return gangs == 1 && sum == float64(racks)
	})
	w.expectStarts(gang, 1)
	return object, members
}

// startsOver kills a pod, and expects that all pods are made anew and planned as a whole.
func (w *gangWorld) startsOver(killed corev1.Pod, before []corev1.Pod, racks int) []corev1.Pod {
	w.Helper()
	w.kill(killed)
	w.Await("all pods to be made anew", func() bool {
		now := w.members(len(before), "exist", func(corev1.Pod) bool { return true })
		return len(newcomers(before, now)) == len(before)
	})
	gang := killed.Annotations[witness.Name]
	again := w.runsWhole(gang, len(before), racks)
	w.expectStarts(gang, 2)
	return again
}

// replaces has a node break and its pod be evicted, and expects another one near the others. The third
// rack has the least room, but would be one more.
func (w *gangWorld) replaces(lost corev1.Pod, before []corev1.Pod, racks int) []corev1.Pod {
	w.Helper()
	w.breakNode(lost.Spec.NodeName)
	w.drain(lost)
	w.Await("another pod instead of "+lost.Name, func() bool {
		now := w.members(len(before), "run", runs)
		return len(newcomers(before, now)) == 1
	})
	return w.runsWhole(lost.Annotations[witness.Name], len(before), racks)
}

// The Jobs of a set are one gang.
func TestGangOfAJobSet(t *testing.T) {
	jobSet.start(t)
	w := newGangWorld(t)
	set, pods := w.begin("jobset", 4, 1, 0, 8)
	again := w.startsOver(labelled(w.world, pods, replicatedJob, "leader"), pods, 1)
	w.finish(again...)
	w.Await("the set to be complete", func() bool {
		return manifests.At(w.now(set), "status", "terminalState") == "Completed"
	})
}

// Its JobSet is a gang, as the TrainJob asks.
func TestGangOfATrainJob(t *testing.T) {
	jobSet.start(t)
	trainer.start(t)
	w := newGangWorld(t)
	job, pods := w.begin("trainer", 4, 1, 0, 8)
	again := w.startsOver(pods[0], pods, 1)
	w.finish(again...)
	w.Await("the TrainJob to be complete", func() bool { return manifests.HasCondition(w.now(job), "Complete") })
}

// The launcher, which needs no accelerator, starts with the workers.
func TestGangOfAnMPIJob(t *testing.T) {
	mpiOperator.start(t)
	w := newGangWorld(t)
	job, pods := w.begin("mpi-operator", 7, 2, 8, 9, 10)
	launcher := mpiPod(w.world, pods, "launcher")
	if asksForGPUs(launcher) {
		t.Errorf("the launcher is on %s, and should ask for no GPU", launcher.Spec.NodeName)
	}
	w.replaces(mpiPod(w.world, pods, "worker"), pods, 2)
	w.Await("the MPIJob to run", func() bool { return manifests.HasCondition(w.now(job), "Running") })
	w.finish(launcher)
	w.Await("the MPIJob to succeed", func() bool { return manifests.HasCondition(w.now(job), "Succeeded") })
}

func TestGangOfAPyTorchJob(t *testing.T) {
	trainingOperator.start(t)
	w := newGangWorld(t)
	job, pods := w.begin("training-operator", 6, 2, 8, 9, 10)
	again := w.replaces(labelled(w.world, pods, trainingRole, "worker"), pods, 2)
	w.finish(again...)
	w.Await("the PyTorchJob to succeed", func() bool { return manifests.HasCondition(w.now(job), "Succeeded") })
}
