package main

import (
	"reflect"
	"strings"
	"testing"
)

func TestChoices(t *testing.T) {
	o := options{nodes: 50, rounds: 1, requests: 1, batch: 1, changes: 1, starts: 1, pods: 1}
	if err := o.choose("50, 65000", "memory,answers"); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(o.sizes, []int{50, 65000}) || len(o.parts) != 2 ||
		o.parts[0].name != "answers" || o.parts[1].name != "memory" {
		t.Errorf("sizes %v, parts %v", o.sizes, o.parts)
	}
}

func TestChoicesThatMeanNothing(t *testing.T) {
	good := options{nodes: 50, rounds: 1, requests: 1, batch: 1, changes: 1, starts: 1, pods: 1}
	cases := []struct {
		change       func(*options)
		sizes, parts string
		advice       string
	}{
		{func(o *options) { o.nodes = 49 }, "50", "sizes", "-nodes must be 50 or more"},
		{func(o *options) { o.changes = 0 }, "50", "sizes", "-changes, -starts and -pods must be 1"},
		{func(*options) {}, "50,many", "sizes", `"many"; write growing numbers from 50 on`},
		{func(*options) {}, "10", "sizes", `"10"; write growing numbers from 50 on`},
		{func(*options) {}, "500,100", "sizes", `"100"; write growing numbers from 50 on`},
		{func(*options) {}, "50", "sizes,speed", `"speed" is no part; write some of starts,answers`},
	}
	for _, c := range cases {
		o := good
		c.change(&o)
		if err := o.choose(c.sizes, c.parts); err == nil || !strings.Contains(err.Error(), c.advice) {
			t.Errorf("-sizes %s -parts %s: error %v does not say %q", c.sizes, c.parts, err, c.advice)
		}
	}
}

func TestAllPartsAreMeasuredByDefault(t *testing.T) {
	parts, err := parseParts(partNames())
	if err != nil || len(parts) != len(allParts) {
		t.Errorf("%d of %d parts (%v)", len(parts), len(allParts), err)
	}
}
