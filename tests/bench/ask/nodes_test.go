package ask

import (
	"slices"
	"testing"

	"berth.dev/berth/tests/e2e/fleet"
)

func TestSampleIsKubeSchedulers(t *testing.T) {
	for nodes, want := range map[int]int{50: 50, 280: 134, 1000: 420, 7498: 374, 65000: 3250} {
		if got := SampleSize(nodes); got != want {
			t.Errorf("%d of %d nodes, want %d", got, nodes, want)
		}
	}
}

func TestEveryNodeIsNamedOnce(t *testing.T) {
	names := NodeNames(fleet.Scaled(280))
	if len(names) != 280 || len(slices.Compact(slices.Sorted(slices.Values(names)))) != 280 {
		t.Errorf("%d names", len(names))
	}
	if names[0] == names[1] || names[0][:3] == names[1][:3] && names[1][:3] == names[2][:3] {
		t.Errorf("pools are not mixed: %v", names[:3])
	}
}
