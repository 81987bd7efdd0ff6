package packing

import (
	"path/filepath"
	"strings"
	"testing"

	"berth.dev/berth/tests/bench/figures"
	"berth.dev/berth/tests/e2e/stranded"
)

func TestChoices(t *testing.T) {
	if good, err := parse([]string{"-ways", "berth"}); err != nil || len(good.ways) != 1 {
		t.Errorf("%+v (%v)", good, err)
	}
	for _, c := range []struct{ flag, value, advice string }{
		{"-nodes", "49", "-nodes must be 50 or more"},
		{"-rate", "0", "-rate above 0"},
		{"-quiet", "1ms", "-quiet 1s or more"},
		{"-patience", "20s", "-patience more than that"},
		{"-ways", "best", "is no way"},
	} {
		_, err := parse([]string{c.flag, c.value})
		if err == nil || !strings.Contains(err.Error(), c.advice) {
			t.Errorf("%s %s: error %v does not say %q", c.flag, c.value, err, c.advice)
		}
	}
}

func TestReportIsShown(t *testing.T) {
	r := report{Machine: figures.Machine{CPUs: 2}, Nodes: 7498, Rate: 200, Ways: []wayReport{
		{Way: "berth", Runs: []outcome{
			{Stranded: 100, ByModel: map[string]int64{"V100": 100}, Pods: 9000, Waiting: 30},
			{Stranded: 300, Pods: 9000, Waiting: 50, WholeNode: 8, Nominated: 6, LastBinding: 90}}},
		{Way: "alone"}}}
	if err := figures.CheckTables(r.print, "7498 nodes, 200 pods/s; 2 CPUs",
		"| berth | 2 | **200** | 150 to 250 | 100 to 300 | 9000 | 40 | 4 | 3 | 45 |\n",
	); err != nil {
		t.Error(err)
	}
	if err := figures.CheckReadBack(r); err != nil {
		t.Error(err)
	}
}

// The command does this with 7,498 nodes.
func TestPodsThatAskForAllDevicesAreCounted(t *testing.T) {
	o, err := parse([]string{"-nodes", "50", "-quiet", "2s", "-patience", "1m", "-ways", "berth",
		"-json", filepath.Join(t.TempDir(), "a.json")})
	if err != nil {
		t.Fatal(err)
	}
	b, err := start(t.Context(), o, t.Output())
	if err != nil {
		t.Fatal(err)
	}
	defer b.cluster.Stop()
	measured, err := b.measure(t.Context(), o.ways[0], 1)
	if err != nil {
		t.Fatal(figures.Failed(t.Context(), b.cluster.Box, err))
	}
	pods, err := b.podsOf(o.ways[0], 1)
	if err != nil || measured.Pods != len(pods) || measured.Pods < 50 ||
		measured.Waiting >= measured.Pods || measured.LastBinding <= 0 {
		t.Errorf("%+v of %d pods (%v)", measured, len(pods), err)
	}
	if stranded.UntilCapacity(b.pools, pods) != len(pods) {
		t.Error("the pods ask for more devices than there are")
	}
}
