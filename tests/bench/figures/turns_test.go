package figures

import (
	"context"
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"
)

func TestEveryOtherRoundIsInTheOppositeOrder(t *testing.T) {
	for round, want := range [][]int{{0, 1, 2}, {2, 1, 0}, {0, 1, 2}} {
		if got := Order(round, 3); !reflect.DeepEqual(got, want) {
			t.Errorf("round %d: %v, want %v", round, got, want)
		}
	}
}

func TestTurnsAreTakenUntilOneFails(t *testing.T) {
	kept := map[int][]time.Duration{}
	var said strings.Builder
	turns := Turns[time.Duration]{Rounds: 2, Names: []string{"one", "other"}, Progress: &said,
		Measure: func(_ context.Context, round, index int) (time.Duration, error) {
			return time.Duration(10*round + index), nil
		},
		Keep: func(index int, measured time.Duration) error {
			kept[index] = append(kept[index], measured)
			return nil
		}}
	err := turns.Take(t.Context())
	if err != nil || !reflect.DeepEqual(kept, map[int][]time.Duration{0: {0, 10}, 1: {1, 11}}) ||
		!strings.HasPrefix(said.String(), "round 1 of 2, one: 0s\nround 1 of 2, other: 1ns\nround 2 of 2, other") {
		t.Errorf("%v (%v), said %q", kept, err, &said)
	}
	turns.Keep = func(int, time.Duration) error { return errors.New("the disk is full") }
	if err := turns.Take(t.Context()); err == nil || err.Error() != "the disk is full" {
		t.Errorf("error %v", err)
	}
}
