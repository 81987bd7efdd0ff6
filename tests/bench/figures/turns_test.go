package figures

import (
	"reflect"
	"testing"
)

func TestEveryOtherRoundIsInTheOppositeOrder(t *testing.T) {
	for round, want := range [][]int{{0, 1, 2}, {2, 1, 0}, {0, 1, 2}} {
		if got := Order(round, 3); !reflect.DeepEqual(got, want) {
			t.Errorf("round %d: %v, want %v", round, got, want)
		}
	}
}
