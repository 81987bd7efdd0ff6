package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"berth.dev/berth/tests/bench/placing"
)

func TestChoices(t *testing.T) {
	good := options{pods: 200, burst: 2, rate: 1, rounds: 1}
	if err := good.choose("300, 15000", "single", "alone,berth"); err != nil || len(good.ways) != 2 ||
		!slices.Equal(good.nodes, []int{300, 15000}) {
		t.Errorf("%+v (%v)", good, err)
	}
	for _, change := range []func(*options){func(o *options) { o.pods = 1 },
		func(o *options) { o.burst = 1 }, func(o *options) { o.rounds = 0 },
		func(o *options) { o.rate = 0 }} {
		bad := good
		change(&bad)
		err := bad.choose("300", "single", "alone")
		if err == nil || !strings.Contains(err.Error(), "-pods and -burst-pods must be 2 or more") {
			t.Errorf("%+v: %v", bad, err)
		}
	}
	for _, nodes := range []string{"49", "", "7498,many"} {
		err := good.choose(nodes, "single", "alone")
		if err == nil || !strings.Contains(err.Error(), "write numbers of 50 or more") {
			t.Errorf("%q nodes: %v", nodes, err)
		}
	}
}

// The command does this with 7,498 nodes.
func TestWaysPlaceTheirPods(t *testing.T) {
	dir := t.TempDir()
	o := options{pods: 100, burst: 50, rate: 100, rounds: 1, seed: 1, patience: time.Minute,
		profileLength: time.Second}
	const ways = "echo,berth+extender.maxBodyBytes=4194304+filter-only"
	if err := o.choose("280", "spread,burst", ways); err != nil {
		t.Fatal(err)
	}
	b, err := start(t.Context(), o, t.Output())
	if err != nil {
		t.Fatal(err)
	}
	defer b.stop()
	b.warm = true // what a cold run would spoil is not looked at
	for _, l := range o.loads {
		measured, err := b.measure(t.Context(), l)
		if err != nil {
			t.Fatal(b.failed(t.Context(), err))
		}
		checkPlaced(t, measured)
	}

	w, err := placing.ParseWays("alone-every-node")
	if err != nil {
		t.Fatal(err)
	}
	alone := turn{contender: contender{way: w[0], cluster: b.clusters[0]}, load: allLoads[0], seed: 2,
		profile: filepath.Join(dir, "alone.pprof")}
	if _, err := b.run(t.Context(), alone); err != nil {
		t.Fatal(b.failed(t.Context(), err))
	}
	if profile, err := os.Stat(alone.profile); err != nil || profile.Size() == 0 {
		t.Errorf("no profile: %v", err)
	}
}

// checkPlaced looks at a load of the ways echo and berth.
func checkPlaced(t *testing.T, measured loadReport) {
	t.Helper()
	for _, w := range measured.Ways {
		run := w.Runs[0]
		if w.PodsPerSecond.Min <= 0 || run.SchedulerCPU <= 0 || run.APIServerCPU <= 0 ||
			run.WaitP99 < run.WaitP50 || run.WaitP50 <= 0 || run.LastBinding < run.WaitP99 ||
			run.CreatedPerSecond <= 0 {
			t.Errorf("%s, %s: %+v", measured.Name, w.Way, run)
		}
	}
	run := measured.Ways[1].Runs[0]
	if run.Berth == nil || run.Berth.FilterP99 <= 0 || run.Berth.PrioritizeP99 != 0 ||
		run.Berth.ResidentMiB <= 0 || run.Berth.ReadySeconds <= 0 {
		t.Errorf("berth, not asked to prioritize, says %+v", run.Berth)
	}
}
