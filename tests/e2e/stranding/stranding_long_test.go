//go:build long

package main

import (
	"testing"

	"berth.dev/berth/tests/e2e/fleet"
)

// The command replays 2,000 pods on the whole reference cluster; here is a quarter of both. The
// shortlist is the default one.
func TestBerthStrandsFewerDevicesThanDefaultScoring(t *testing.T) {
	ways, err := parseWays("1")
	if err != nil {
		t.Fatal(err)
	}
	o := options{seeds: []uint64{1, 2}, pods: 500, pools: fleet.Scaled(70), ways: ways,
		percentage: 100}
	columns, err := compare(t.Context(), o, t.Output())
	if err != nil {
		t.Fatal(err)
	}
	printTable(t.Output(), o.pools, columns)
	if err := verdict(columns); err != nil {
		t.Error(err)
	}
	for i, seed := range o.seeds {
		for _, c := range columns {
			if last := c.outcomes[i].atEnd; last.Waiting == 0 || last.Total() != 0 {
				t.Errorf("%s, seed %d: a pod still fits after the last: %+v", c.title, seed, last)
			}
		}
		without := columns[0].outcomes[i].atEnd.Whole
		for _, c := range columns[1:] {
			if with := c.outcomes[i].atEnd.Whole; with <= without {
				t.Errorf("%s, seed %d: %d whole-node pods, without Berth %d", c.title, seed, with, without)
			}
		}
	}
}
