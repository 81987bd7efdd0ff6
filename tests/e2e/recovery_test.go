package e2e

import (
	"strings"
	"testing"
)

func TestPodThatWaitedRunsAfterTheRepair(t *testing.T) {
	// Without and with a recovery time.
	for _, condition := range []string{"GPUPendingPage", "GPUIsLost"} {
		t.Run(condition, func(t *testing.T) {
			w := fresh(t)
			w.controllers(1, nil) // kube-scheduler may retry before Berth knows of the repair
			pool := nodesOf("mn2b-a30")
			w.breaks(condition, "Exclude", pool...)
			pod := gpus(1, "A30")
			w.refused(pod)
			w.repairs(condition, pool...)
			w.expectOn("mn2b-a30", w.placed(pod))
			w.allSound()
		})
	}
}

func TestRecentlyRepairedNodesAreTheLastChoice(t *testing.T) {
	w := fresh(t)
	pool := nodesOf("mn2b-a30")
	w.breaks("GPUIsLost", "Exclude", pool[:3]...)
	w.repairs("GPUIsLost", pool[:3]...)
	w.awaitEffect("GPUIsLost", "Recovering", 3) // True for seconds only
	if node := w.place(gpus(6, "A30")); node != pool[3] {
		t.Errorf("first pod is on %s, want %s, which never failed", node, pool[3])
	}
	for range 3 {
		w.expectOn("mn2b-a30", w.place(gpus(6, "A30")))
	}
}

// The reasons that kube-scheduler shows are constant texts, so it can count nodes by them.
func TestEventCountsNodesByReason(t *testing.T) {
	w := fresh(t)
	pool := nodesOf("mn2b-a30")
	w.breaks("GPUIsLost", "Exclude", pool[:2]...)
	w.breaks("DStateProcess", "Exclude", pool[2])
	w.breaks("GPUPendingPage", "Exclude", pool[3])
	message := w.refused(gpus(1, "A30"))
	for _, want := range []string{
		"0/20 nodes are available: ",
		"2 node(s) had condition GPUIsLost",
		"1 node(s) had condition DStateProcess",
		"1 node(s) had condition GPUPendingPage",
		"4 node(s) had accelerator A100, not one the pod asks for",
		"4 node(s) had accelerator V100, not one the pod asks for",
		"8 Insufficient nvidia.com/gpu", // MN-Core and CPU nodes: kube-scheduler's own filter
	} {
		if !strings.Contains(message, want) {
			t.Errorf("event %q, want %q in it", message, want)
		}
	}
}
