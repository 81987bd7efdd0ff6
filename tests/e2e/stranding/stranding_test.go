package main

import (
	"bytes"
	"context"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"berth.dev/berth/tests/e2e/fleet"
)

// The command replays 2,000 pods on the whole reference cluster; here is a quarter of both.
func TestBerthStrandsFewerDevicesThanDefaultScoring(t *testing.T) {
	o := options{seeds: []uint64{1, 2}, pods: 500, pools: fleet.Scaled(70)}
	alone, berth, err := compare(t.Context(), o, t.Output())
	if err != nil {
		t.Fatal(err)
	}
	printTable(t.Output(), o.pools, []column{alone, berth})
	if err := verdict(alone, berth); err != nil {
		t.Error(err)
	}
	for i := range o.seeds {
		for _, c := range []column{alone, berth} {
			if last := c.outcomes[i].atEnd; last.waiting == 0 || last.total() != 0 {
				t.Errorf("%s, seed %d: a pod still fits after the last: %+v", c.title, o.seeds[i], last)
			}
		}
		if with, without := berth.outcomes[i].atEnd.whole, alone.outcomes[i].atEnd.whole; with <= without {
			t.Errorf("seed %d: %d whole-node pods with Berth, %d without", o.seeds[i], with, without)
		}
	}
}

func TestUntilCapacity(t *testing.T) {
	pools := fleet.Small(1) // 22 devices
	pod := podOn("", fleet.ResourceGPU, 8)
	cases := []struct{ pods, want int }{{0, 0}, {2, 2}, {3, 2}, {9, 2}}
	for _, c := range cases {
		if got := untilCapacity(pools, slices.Repeat([]*corev1.Pod{&pod}, c.pods)); got != c.want {
			t.Errorf("%d of %d pods of 8 devices, want %d", got, c.pods, c.want)
		}
	}
}

func TestVerdict(t *testing.T) {
	few := column{outcomes: []outcome{{atCapacity: holding{stranded: map[string]int64{"V100": 3}}}}}
	many := column{outcomes: []outcome{{atCapacity: holding{stranded: map[string]int64{"V100": 4}}}}}
	if err := verdict(many, few); err != nil {
		t.Errorf("fewer with Berth: %v", err)
	}
	for _, c := range [][2]column{{few, many}, {few, few}} {
		if verdict(c[0], c[1]) == nil {
			t.Error("no error although Berth strands no fewer")
		}
	}
}

func TestSeedsAreNumbers(t *testing.T) {
	err := run(context.Background(), "1,x", 1, &bytes.Buffer{})
	if err == nil || !strings.Contains(err.Error(), "write a list such as 1,2,3") {
		t.Errorf("error %v does not say what to write", err)
	}
}

func TestTableShowsTheSpread(t *testing.T) {
	var out bytes.Buffer
	columns := []column{{"alone", []outcome{
		{atCapacity: holding{stranded: map[string]int64{"V100": 3, "A30": 1}, waiting: 5}},
		{atCapacity: holding{stranded: map[string]int64{"V100": 6}, waiting: 7}},
	}}}
	printTable(&out, fleet.Reference(), columns)
	for _, want := range []string{
		"devices stranded 5.0 (4 to 6)", "V100, of 1024 4.5 (3 to 6)", "pods that wait 6.0 (5 to 7)",
	} {
		if !strings.Contains(strings.Join(strings.Fields(out.String()), " "), want) {
			t.Errorf("no %q in\n%s", want, out.String())
		}
	}
}
