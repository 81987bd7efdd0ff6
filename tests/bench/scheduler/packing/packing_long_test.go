//go:build long

package packing

import (
	"path/filepath"
	"testing"

	"berth.dev/berth/tests/bench/figures"
	"berth.dev/berth/tests/e2e/stranded"
)

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
