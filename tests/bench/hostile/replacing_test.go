package main

import (
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/watch"

	"berth.dev/berth/tests/bench/ask"
	"berth.dev/berth/tests/e2e/fleet"
)

func TestEveryNodeIsReplacedInTheOrderOfRequests(t *testing.T) {
	old, next := renamed(fleet.Small(2), 0), renamed(fleet.Small(2), 1)
	changes := replacement(inOrder(old), inOrder(next))
	after := ask.NodeNames(next)
	for i, name := range ask.NodeNames(old) {
		gone, made := changes[2*i], changes[2*i+1]
		if gone.Type != watch.Deleted || gone.Node.Name != name || made.Type != watch.Added ||
			made.Node.Name != after[i] || after[i] == name {
			t.Errorf("%s of %s and %s of %s, want %s replaced by %s", gone.Type, gone.Node.Name,
				made.Type, made.Node.Name, name, after[i])
		}
	}
}

// The command does this with 7,498 nodes. A block in which they are replaced is long enough for
// Berth to follow on a busy machine.
func TestAttacksAreMeasured(t *testing.T) {
	b, err := newBench(t.Context(), options{nodes: 50, few: 8, pairs: 2,
		length: 50 * time.Millisecond, replacing: time.Second}, t.Output())
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	for _, a := range []assault{{name: "90 broken handshakes a second", groups: broken},
		{name: "all nodes replaced", replaces: true}} {
		r, err := b.measure(t.Context(), a)
		if err != nil {
			t.Fatal(err)
		}
		if came := r.alone.arrivals > 0; came != (len(a.groups) > 0) || r.alone.cores < 0 {
			t.Errorf("%s: alone %+v", a.name, r.alone)
		}
		for _, c := range r.asked {
			if len(c.quiet) != 2 || c.shares().Min <= 0 {
				t.Errorf("%s, %d names: %+v", a.name, c.names, *c)
			}
		}
	}
	if b.generation != 1+2*2 {
		t.Errorf("the nodes were replaced %d times, want once alone and for every attacked sample",
			b.generation)
	}
	if err := b.report(t.Context(), t.Output()); err != nil {
		t.Error(err)
	}
}
