//go:build long

package certs

import (
	"testing"
)

// Their life is 18 seconds.
func TestNobodyNoticesRenewals(t *testing.T) {
	w := newWorld(t)
	w.controllers(1, renewedInSeconds)
	w.underLoad(func() {
		for range 3 {
			extender, webhook := w.certificate(extenderSecret), w.certificate(admissionSecret)
			w.Await("both to be renewed", func() bool {
				return !w.certificate(extenderSecret).Equal(extender) &&
					!w.certificate(admissionSecret).Equal(webhook)
			})
			w.awaitServed()
		}
	})
}

// kube-scheduler reads its authorities once.
func TestNobodyNoticesAnotherAuthority(t *testing.T) {
	w := newWorld(t)
	w.controllers(2, longLife)
	scheduler := shared.Scheduler.Pid()
	for range 2 { // the second is vouched for by one that kube-scheduler never heard of
		w.underLoad(func() {
			former := w.certificate(authoritySecret)
			w.ask(authoritySecret)
			w.Await("another authority", func() bool {
				return !w.certificate(authoritySecret).Equal(former) && w.consistent()
			})
			w.awaitServed()
		})
	}
	// What is connected stays so; a server that is started again makes everybody connect anew.
	shared.Berth.Stop()
	w.Check("start the extender again", shared.Berth.Start(t.Context()))
	admission.Stop()
	w.Check("start the webhook again", admission.Start(t.Context()))
	w.awaitPlaced()
	if shared.Scheduler.Pid() != scheduler {
		t.Error("kube-scheduler was started again")
	}
}

func TestNobodyNoticesThatTheLeaderIsKilled(t *testing.T) {
	w := newWorld(t)
	w.controllers(2, longLife)
	leader := w.leader()
	w.underLoad(func() {
		before := w.certificate(extenderSecret)
		leader.Kill()
		w.ask(extenderSecret)
		w.Await("another controller to renew", func() bool {
			return !w.certificate(extenderSecret).Equal(before)
		})
		w.awaitServed()
	})
	if now := w.leader(); now == nil || now == leader {
		t.Error("no other controller leads")
	}
}
