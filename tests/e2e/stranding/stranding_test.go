package main

import (
	"bytes"
	"context"
	"strings"
	"testing"

	schedulerconfig "k8s.io/kube-scheduler/config/v1"

	"berth.dev/berth/tests/e2e/fleet"
	"berth.dev/berth/tests/e2e/stranded"
)

func TestVerdict(t *testing.T) {
	// of two seeds, so many in all
	left := func(title string, devices int64, waiting int) column {
		return column{title, []outcome{
			{atCapacity: stranded.Holding{Stranded: map[string]int64{"V100": devices - 1}, Waiting: waiting}},
			{atCapacity: stranded.Holding{Stranded: map[string]int64{"A30": 1}}},
		}}
	}
	alone := left("alone", 100, 20)
	cases := []struct {
		name        string
		full, short column
		want        []string // in the error; none: no error
	}{
		{"fewer", left("full", 20, 5), left("short", 20, 5), nil},
		{"as many wait", left("full", 20, 20), left("short", 20, 20), nil},
		{"as many stranded", left("full", 100, 5), left("short", 20, 5),
			[]string{"full: 100 devices are stranded in all, without Berth 100"}},
		{"as many stranded by a shortlist", left("full", 90, 5), left("short", 100, 5),
			[]string{"short: 100 devices are stranded in all, without Berth 100"}},
		{"more wait", left("full", 20, 21), left("short", 20, 5),
			[]string{"full: 21 pods wait in all, without Berth 20"}},
		{"more wait for a shortlist", left("full", 20, 5), left("short", 20, 21),
			[]string{"short: 21 pods wait in all, without Berth 20"}},
		{"a shortlist within the margin", left("full", 20, 5), left("short", 45, 5), nil},
		{"a shortlist beyond the margin", left("full", 20, 5), left("short", 46, 5),
			[]string{"short: 46 devices are stranded in all, want 45 at most: all nodes that fit strand " +
				"20"}},
		{"all is wrong", left("full", 101, 21), left("short", 127, 22),
			[]string{"full: 101 devices", "full: 21 pods", "short: 127 devices", "short: 22 pods",
				"want 126 at most"}},
	}
	for _, c := range cases {
		err := verdict([]column{alone, c.full, c.short})
		if (err != nil) != (len(c.want) > 0) {
			t.Errorf("%s: error %v, want %q", c.name, err, c.want)
		}
		for _, want := range c.want {
			if err != nil && !strings.Contains(err.Error(), want) {
				t.Errorf("%s: no %q in error %q", c.name, want, err)
			}
		}
	}
	if err := verdict([]column{alone, left("full", 20, 5)}); err != nil {
		t.Errorf("no shortlists: %v", err)
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
		{atCapacity: stranded.Holding{Stranded: map[string]int64{"V100": 3, "A30": 1}, Waiting: 5}},
		{atCapacity: stranded.Holding{Stranded: map[string]int64{"V100": 6}, Waiting: 7}},
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
