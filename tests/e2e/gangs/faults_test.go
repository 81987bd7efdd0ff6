package gangs

import (
	"fmt"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"berth.dev/berth/tests/e2e/box"
)

// In each phase of a gang a node breaks: the gang moves to others, or waits. The judge sees whether
// anything is bound to a node that Berth knows to be broken.

func TestANodeBreaksWhileAGangWaits(t *testing.T) {
	w := fresh(t)
	const fillers, pods = 2, nodes - 1
	var names []string
	for i := range fillers {
		names = append(names, fmt.Sprintf("filler-%d", i))
		w.create(single(names[i], pool().NodeName(i), devices))
	}
	w.create(members("train", pods, devices)...)
	w.all("train-", pods, "are gated", holdsNothing)
	w.awaitPhase("waiting")
	lost := pool().NodeName(nodes - 1)
	w.breaks(lost)
	w.delete(names...)
	w.expectNobodyOn(lost, w.all("train-", pods, "run", isRunning))
}

// The gang needs every node, so it runs when the node is well again and not before. Meanwhile its pods
// say that one of them has no node.
func TestAGangWaitsForABrokenNode(t *testing.T) {
	w := fresh(t)
	lost := pool().NodeName(3)
	w.breaks(lost)
	w.create(members("train", nodes, devices)...)
	w.awaitPhase("waiting")
	reason := fmt.Sprintf("gang train of %d: %d of %d pods fit at once", nodes, nodes-1, nodes)
	w.all("train-", nodes, "say why they wait and hold nothing", func(pod corev1.Pod) bool {
		return waitsAs(pod, reason) && holdsNothing(pod)
	})
	w.repair(lost)
	w.all("train-", nodes, "run", isRunning)
}

func TestANodeBreaksWhileAGangIsReserved(t *testing.T) {
	w := fresh(t)
	nominated, release := w.reserve()
	lost := nominated[0].Status.NominatedNodeName
	w.breaks(lost)
	w.some(heldGang, heldPods-1, heldPods, "have other nodes", func(pod corev1.Pod) bool {
		return isGated(pod) && isNominated(pod) && pod.Status.NominatedNodeName != lost
	})
	release()
	w.expectNobodyOn(lost, w.all(heldGang, heldPods, "run", isRunning))
}

// kube-scheduler is away from the release until the planner has another node for the pod.
func TestANodeBreaksWhileAGangIsReleased(t *testing.T) {
	w := fresh(t)
	w.away(shared.Scheduler)
	w.create(members("train", 8, devices)...)
	released := w.all("train-", 8, "are released", isReleased)
	lost := released[0].Status.NominatedNodeName
	w.breaks(lost)
	w.all("train-", 8, "have other nodes", func(pod corev1.Pod) bool {
		return isNominated(pod) && pod.Status.NominatedNodeName != lost
	})
	w.back(shared.Scheduler)
	w.expectNobodyOn(lost, w.all("train-", 8, "run", isRunning))
}

// awaitPhase waits until the planner says that the only gang is so far.
func (w *world) awaitPhase(phase string) {
	w.Helper()
	w.awaitPhaseOf(controller, phase)
}

func (w *world) awaitPhaseOf(c *box.Controller, phase string) {
	w.Helper()
	w.Await("a gang that is "+phase, func() bool {
		samples, err := c.Metrics(w.Context())
		w.Check("scrape the controller", err)
		return samples.Sum("berth_planner_gangs", fmt.Sprintf("phase=%q", phase)) == 1
	})
}
