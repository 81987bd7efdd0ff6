package e2e

import (
	"fmt"
	"net/url"
	"testing"
	"time"

	"berth.dev/berth/tests/e2e/attack"
	"berth.dev/berth/tests/e2e/box"
)

const (
	crowdSize      = 1000
	insistent      = 560      // of them, more than a listener has room for
	mostConnection = 512 + 64 // its room, and those that it is about to cut
	mostGrowthKiB  = 96 << 10 // 512 connections over TLS take about 64 MiB
	// Longer than any test: attackers come once.
	once = time.Hour
)

// assail lets attackers loose on the extender until the test ends, and waits until all are there.
func (w *world) assail(groups ...attack.Group) *attack.Crowd {
	w.Helper()
	config, err := w.box.Berth.ClientTLS()
	w.Check("kube-scheduler's certificate", err)
	address, err := url.Parse(w.box.Berth.URL)
	w.Check("Berth's address", err)
	crowd := attack.Start(w.Context(), attack.Target{Address: address.Host, TLS: config}, groups...)
	w.Cleanup(crowd.Stop)
	all := 0
	for _, group := range groups {
		all += group.Count
	}
	w.Await("the attackers", func() bool { return crowd.Arrived() >= all })
	return crowd
}

// onExtender is a counter of the extender's listener.
func (w *world) onExtender(name string, labels ...string) float64 {
	w.Helper()
	return w.metric(name, append(labels, `listener="extender"`)...)
}

func (w *world) usage() box.Usage {
	w.Helper()
	usage, err := w.box.Berth.Usage()
	w.Check("look at Berth", err)
	return usage
}

// grownKiB is how far the peak of memory is above what was resident before. It is the peak since
// Berth's start, in tests before this one, too.
func (w *world) grownKiB(before box.Usage) int {
	w.Helper()
	return w.usage().PeakKiB - before.ResidentKiB
}

// kube-scheduler keeps its connection, and after a restart gets a new one.
func TestSilentConnectionsKeepNobodyOut(t *testing.T) {
	w := fresh(t)
	w.place(gpus(1))
	quiet := w.usage()
	full := func() float64 {
		return w.onExtender("berth_http_limits_hit_total", `limit="connections"`)
	}
	awaitMore := func(so float64) {
		before := full()
		w.Await("the extender to be full", func() bool { return full() >= before+so })
	}
	// Who comes back takes every place that somebody leaves, kube-scheduler's as well.
	w.assail(attack.Group{Kind: attack.Silent, Count: crowdSize - insistent, Pause: once},
		attack.Group{Kind: attack.Silent, Count: insistent, Pause: time.Second})
	awaitMore(1)
	w.place(gpus(1))
	if open := w.onExtender("berth_http_connections"); open > mostConnection {
		t.Errorf("%v connections are open, want %d at most", open, mostConnection)
	}
	w.box.Scheduler.Stop()
	awaitMore(20)
	w.Check("start kube-scheduler again", w.box.Scheduler.Start(t.Context()))
	w.place(gpus(1))
	if grown := w.grownKiB(quiet); grown > mostGrowthKiB {
		t.Errorf("%d silent connections take %d KiB, want %d at most", crowdSize, grown, mostGrowthKiB)
	}
	w.allSound()
}

// Every limit ends what it is for, and is counted; who asks in earnest is answered all the while.
func TestLimitsAreHeldAndCounted(t *testing.T) {
	w := fresh(t)
	const each = 5
	cases := []struct {
		kind         attack.Kind
		metric, name string
		label        string
	}{
		{attack.SlowHeader, "berth_http_limits_hit_total", "limit", "header_time"},
		{attack.SlowBody, "berth_http_limits_hit_total", "limit", "body_time"},
		{attack.LongHeader, "berth_http_limits_hit_total", "limit", "header_bytes"},
		{attack.Oversized, "berth_http_limits_hit_total", "limit", "body_bytes"},
		{attack.HalfHello, "berth_http_handshake_failures_total", "cause", "timeout"},
		{attack.NotTLS, "berth_http_handshake_failures_total", "cause", "not_tls"},
		{attack.Stranger, "berth_http_handshake_failures_total", "cause", "client_certificate"},
	}
	label := func(name, value string) string { return fmt.Sprintf("%s=%q", name, value) }
	var before []float64
	var groups []attack.Group
	for _, c := range cases {
		before = append(before, w.onExtender(c.metric, label(c.name, c.label)))
		groups = append(groups, attack.Group{Kind: c.kind, Count: each, Pause: once})
	}
	quiet := w.usage()
	crowd := w.assail(groups...)
	for ended := 0; ended < each*len(cases); {
		w.place(gpus(1))
		w.Await("Berth to end more connections", func() bool { return crowd.Ended() > ended })
		ended = crowd.Ended()
	}
	for i, c := range cases {
		if got := w.onExtender(c.metric, label(c.name, c.label)) - before[i]; got != each {
			t.Errorf("%s: %s of %s counts %v more, want %d", c.kind.Name, c.metric, c.label, got, each)
		}
	}
	if grown := w.grownKiB(quiet); grown > mostGrowthKiB {
		t.Errorf("memory has grown by %d KiB, want %d at most", grown, mostGrowthKiB)
	}
	w.allSound()
}
