package gangs

import (
	"testing"

	"berth.dev/berth/tests/e2e/box"
)

// A reserved gang keeps its nodes, whoever is started again: they stand in its pods.
func TestProgramsAreStartedAgainWhileAGangIsReserved(t *testing.T) {
	w := fresh(t)
	nominated, release := w.reserve()
	for _, program := range []*box.Process{shared.Scheduler, controller.Process, shared.Berth.Process} {
		program.Stop()
		w.back(program)
	}
	release()
	w.expectOn(promises(nominated), w.all(heldGang, heldPods, "run", isRunning))
}

// Of a gang that is being released, kube-scheduler has bound all pods but one. The controller that
// comes next knows that, and releases the last one.
func TestProgramsAreStartedAgainWhileAGangIsReleased(t *testing.T) {
	w := gateWorld(t)
	released, release := w.free()
	w.some(heldGang, heldPods-1, heldPods, "run", isRunning)
	for _, program := range []*box.Process{controller.Process, shared.Scheduler, shared.Berth.Process} {
		program.Stop()
		w.back(program)
	}
	release()
	pods := w.all(heldGang, heldPods, "run", isRunning)
	for _, pod := range released {
		if !contains(pods, pod) {
			t.Errorf("%s was evicted", pod.Name)
		}
	}
}
