//go:build long

package main

import (
	"testing"
	"time"
)

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
