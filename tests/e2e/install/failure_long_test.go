//go:build long

package install

import (
	"testing"
)

func TestKilledSchedulerIsReplaced(t *testing.T) {
	w := release(t, nil)
	placements := w.place(w.team("enforce"))
	placements.AwaitMore(2)
	for _, c := range []struct{ component, container string }{
		{"extender", "extender"}, {"scheduler", "kube-scheduler"},
	} {
		for _, pod := range w.component(c.component) {
			w.killAndAwait(pod, c.container)
		}
		placements.AwaitMore(2)
	}
	placements.ExpectNoFailure(4)
}

func TestKilledControllerIsReplaced(t *testing.T) {
	w := release(t, nil)
	const node = "mn2a-001"
	w.Await(node+" to have its label", func() bool { return w.acceleratorOf(node) == "V100" })
	w.Check("kill the leader", shared.Kubelet.Kill(w.leader(), "controller"))
	w.label(node, nil)
	w.Await("the label to come back", func() bool { return w.acceleratorOf(node) == "V100" })
	for _, pod := range w.component("controller") {
		w.awaitReady(pod.Name)
	}
	w.leader()
}
