//go:build long

package few

import (
	"path/filepath"
	"testing"

	"berth.dev/berth/tests/bench/figures"
)

// The command does this with 7,498 nodes.
func TestPodsGetTheNodesThatFit(t *testing.T) {
	o, err := parse([]string{"-nodes", "500", "-fitting", "10", "-pods", "5", "-rate", "5", "-others", "10",
		"-ways", "berth-every-node", "-patience", "30s", "-json", filepath.Join(t.TempDir(), "a.json")})
	if err != nil {
		t.Fatal(err)
	}
	b, err := start(t.Context(), o, t.Output())
	if err != nil {
		t.Fatal(err)
	}
	defer b.cluster.Stop()
	measured, err := b.measure(t.Context(), o.ways[0], o.others[0], 1)
	if err != nil {
		t.Fatal(figures.Failed(t.Context(), b.cluster.Box, err))
	}
	if measured.Unbound != 0 || measured.Evicted != 0 || measured.WaitP99 <= 0 || measured.OthersP99 <= 0 {
		t.Errorf("%+v", measured)
	}
}
