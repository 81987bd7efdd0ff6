//go:build long

package install

import (
	"testing"
)

func TestUpgradeAndRollbackFailNoRequest(t *testing.T) {
	w := release(t, nil)
	team := w.team("enforce")
	if got := w.memoryGivenIn(team); got != "4Gi" {
		t.Fatalf("a careless pod gets %s, want the default", got)
	}
	for _, step := range []struct {
		name   string
		take   func()
		memory string
	}{
		{"upgrade", func() { w.upgrade(changed) }, "2Gi"},
		{"rollback", func() { w.rollback(nil) }, "4Gi"},
	} {
		t.Run(step.name, func(t *testing.T) {
			inner := newWorld(t)
			creates, placements := inner.createSafely(team), inner.place(team)
			creates.AwaitMore(leastLoad)
			before := inner.uidsOfPods()
			step.take()
			for uid := range inner.uidsOfPods() {
				if before[uid] {
					t.Errorf("pod %s was not replaced", uid)
				}
			}
			creates.AwaitMore(leastLoad)
			placements.AwaitMore(2)
			creates.ExpectNoFailure(2 * leastLoad)
			placements.ExpectNoFailure(2)
			inner.Await("careless pods to get "+step.memory, func() bool {
				return inner.memoryGivenIn(team) == step.memory
			})
			inner.awaitTrustedWebhooks()
		})
	}
}
