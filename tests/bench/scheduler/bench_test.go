package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"berth.dev/berth/tests/bench/figures"
)

func TestChoices(t *testing.T) {
	good := options{nodes: 300, pods: 200, pairs: 1}
	if err := good.choose("single", "none,berth"); err != nil || len(good.ways) != 2 {
		t.Errorf("ways %v (%v)", good.ways, err)
	}
	for _, o := range []options{{nodes: 49, pods: 2, pairs: 1}, {nodes: 50, pods: 1, pairs: 1},
		{nodes: 50, pods: 2, pairs: 0}} {
		err := o.choose("single", "")
		if err == nil || !strings.Contains(err.Error(), "-nodes must be 50 or more") {
			t.Errorf("%d nodes, %d pods, %d pairs: %v", o.nodes, o.pods, o.pairs, err)
		}
	}
}

// The command does this with 7,498 nodes.
func TestWaysPlaceTheirPods(t *testing.T) {
	dir := t.TempDir()
	o := options{nodes: 280, pods: 200, pairs: 1, seed: 1, profileLength: time.Second}
	const ways = "echo,berth+extender.maxBodyBytes=4194304+filter-only"
	if err := o.choose("spread-all", ways); err != nil {
		t.Fatal(err)
	}
	b, err := start(t.Context(), o, t.Output())
	if err != nil {
		t.Fatal(err)
	}
	defer b.stop()
	b.warm = true // what a cold run would spoil is not looked at
	measured, err := b.measure(t.Context(), o.loads[0])
	if err != nil {
		t.Fatal(figures.Failed(t.Context(), b.cluster.Box, err))
	}
	for _, w := range measured.Ways {
		if w.PodsPerSecond.Min <= 0 || w.Runs[0].SchedulerCPU <= 0 {
			t.Errorf("%+v has placed nothing", w)
		}
	}
	berth := measured.Ways[1].Runs[0].Berth
	if berth == nil || berth.FilterP99 <= 0 || berth.PrioritizeP99 != 0 || berth.ResidentMiB <= 0 ||
		berth.ReadySeconds <= 0 {
		t.Errorf("berth, not asked to prioritize, says %+v", berth)
	}

	alone := turn{load: allLoads[0], way: way{name: "none", extender: extenderNone}, seed: 2,
		profile: filepath.Join(dir, "none.pprof")}
	if _, err := b.run(t.Context(), alone); err != nil {
		t.Fatal(figures.Failed(t.Context(), b.cluster.Box, err))
	}
	if profile, err := os.Stat(alone.profile); err != nil || profile.Size() == 0 {
		t.Errorf("no profile: %v", err)
	}
}
