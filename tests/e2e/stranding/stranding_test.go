package main

import (
	"bytes"
	"context"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	schedulerconfig "k8s.io/kube-scheduler/config/v1"

	"berth.dev/berth/tests/e2e/fleet"
)

// The command replays 2,000 pods on the whole reference cluster; here is a quarter of both.
func TestBerthStrandsFewerDevicesThanDefaultScoring(t *testing.T) {
	ways, err := parseWays("4")
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
			if last := c.outcomes[i].atEnd; last.waiting == 0 || last.total() != 0 {
				t.Errorf("%s, seed %d: a pod still fits after the last: %+v", c.title, seed, last)
			}
		}
		without := columns[0].outcomes[i].atEnd.whole
		for _, c := range columns[1:] {
			if with := c.outcomes[i].atEnd.whole; with <= without {
				t.Errorf("%s, seed %d: %d whole-node pods, without Berth %d", c.title, seed, with, without)
			}
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
	if err := verdict([]column{many, few, few}); err != nil {
		t.Errorf("fewer with Berth: %v", err)
	}
	for _, columns := range [][]column{{few, many}, {few, few}, {many, few, many}} {
		if verdict(columns) == nil {
			t.Error("no error although Berth strands no fewer")
		}
	}
}

func TestFlagsAreChecked(t *testing.T) {
	cases := []struct{ seeds, shortlists, want string }{
		{"1,x", "", "write a list such as 1,2,3"},
		{"1", "8,0", `"0" is no size of a shortlist; write a list such as 1,8,8+filter-only`},
		{"1", "8+fast", `"8+fast" is no size`},
	}
	for _, c := range cases {
		err := run(context.Background(), c.seeds, c.shortlists, options{}, &bytes.Buffer{})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("error %v does not say what to write: %q", err, c.want)
		}
	}
}

func TestWaysOfShortlists(t *testing.T) {
	ways, err := parseWays("1, 8+filter-only")
	if err != nil || len(ways) != 4 {
		t.Fatalf("%d ways and error %v, want 4 and none", len(ways), err)
	}
	config := schedulerconfig.KubeSchedulerConfiguration{
		Extenders: []schedulerconfig.Extender{{FilterVerb: "filter", PrioritizeVerb: "prioritize"}}}
	ways[2].register(&config)
	if ways[2].shortlist != 1 || config.Extenders[0].PrioritizeVerb == "" {
		t.Errorf("%+v registers %+v", ways[2], config.Extenders[0])
	}
	ways[3].register(&config)
	if ways[3].shortlist != 8 || config.Extenders[0].PrioritizeVerb != "" {
		t.Errorf("%+v registers %+v", ways[3], config.Extenders[0])
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
