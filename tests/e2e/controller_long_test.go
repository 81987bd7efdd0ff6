//go:build long

package e2e

import (
	"testing"
	"time"
)

func TestSecondControllerTakesOver(t *testing.T) {
	w := fresh(t)
	w.unlabel()
	both := w.controllers(2, nil)
	w.awaitLabels(expectedLabels())
	leader, other := both[0], both[1]
	if w.leads(other) {
		leader, other = other, leader
	}
	if !w.leads(leader) || w.leads(other) {
		t.Fatalf("of two controllers %v and %v lead", w.leads(leader), w.leads(other))
	}
	leader.Kill()
	killed := time.Now()
	w.Await("the other controller to lead", func() bool { return w.leads(other) })
	if took := time.Since(killed); took > leaseDuration+longestRetry {
		t.Errorf("the other controller leads after %s, want %s after the last renewal", took,
			leaseDuration)
	}
	w.setLabel(nodesOf("mn2a")[0], nil)
	w.awaitLabels(expectedLabels())

	// A controller that is told to end gives up the lease: nobody has to wait for it.
	w.Check("start the first again", leader.Start(t.Context()))
	other.Stop()
	stopped := time.Now()
	w.Await("the first controller to lead", func() bool { return w.leads(leader) })
	if took := time.Since(stopped); took > 2*longestRetry {
		t.Errorf("the first controller leads %s after the other gave up the lease", took)
	}
}
