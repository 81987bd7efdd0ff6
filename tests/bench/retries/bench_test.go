package main

import (
	"strings"
	"testing"
	"time"
)

func TestChoices(t *testing.T) {
	good := options{nodes: 50, waiting: 1, rate: 1, lasts: time.Second, last: time.Second, rounds: 1}
	if err := good.choose("default-nobody-10, every-unsaid-60"); err != nil || len(good.ways) != 2 ||
		good.ways[0].everyNode || !good.ways[1].everyNode || good.ways[1].maxBackoff != 60 {
		t.Errorf("ways %+v (%v)", good.ways, err)
	}
	if err := good.choose("all"); err == nil || !strings.Contains(err.Error(), "write some of shipped-") {
		t.Errorf("no way: %v", err)
	}
	for _, change := range []func(*options){func(o *options) { o.nodes = 49 },
		func(o *options) { o.waiting = 0 }, func(o *options) { o.rate = 0 },
		func(o *options) { o.rounds = 0 }, func(o *options) { o.lasts = time.Millisecond },
		func(o *options) { o.last = 0 }} {
		bad := good
		change(&bad)
		err := bad.choose("default-nobody-10")
		if err == nil || !strings.Contains(err.Error(), "-nodes must be 50 or more") {
			t.Errorf("%+v: %v", bad, err)
		}
	}
}
