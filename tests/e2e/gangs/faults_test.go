package gangs

import (
	"fmt"
	"testing"

	corev1 "k8s.io/api/core/v1"
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
	lost := pool().NodeName(nodes - 1)
	w.breaks(lost)
	w.delete(names...)
	w.expectNobodyOn(lost, w.all("train-", pods, "run", isRunning))
}

// Free is no more than the gang needs, so it runs when the node is well again and not before.
func TestAGangWaitsForABrokenNode(t *testing.T) {
	w := fresh(t)
	lost := pool().NodeName(3)
	w.breaks(lost)
	w.create(members("train", nodes, devices)...)
	w.expectTold("train-", nodes, fmt.Sprintf("gang train of %d: %d of %d pods fit at once", nodes,
		nodes-1, nodes))
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
