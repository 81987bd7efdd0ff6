package figures

import (
	"context"
	"fmt"
	"io"
	"slices"

	"berth.dev/berth/tests/e2e/box"
)

// Order is whose turn it is in a round, of those who are compared: every other round starts with
// the last, because who comes second finds warmer caches.
func Order(round, count int) []int {
	var indexes []int
	for i := range count {
		indexes = append(indexes, i)
	}
	if round%2 == 1 {
		slices.Reverse(indexes)
	}
	return indexes
}

// Turns are what those who are compared take in several rounds.
type Turns[Outcome fmt.Stringer] struct {
	Rounds int
	Names  []string // of those who are compared
	// Measure has the one at index take a turn.
	Measure func(ctx context.Context, round, index int) (Outcome, error)
	// Keep notes what was measured, and writes what there is so far.
	Keep     func(index int, measured Outcome) error
	Box      *box.Box // of which the logs are kept if a turn fails
	Progress io.Writer
}

// Take has all of them take their turns, until one fails.
func (t Turns[Outcome]) Take(ctx context.Context) error {
	for round := range t.Rounds {
		for _, i := range Order(round, len(t.Names)) {
			measured, err := t.Measure(ctx, round, i)
			if err != nil {
				return Failed(ctx, t.Box, fmt.Errorf("%s: %w", t.Names[i], err))
			}
			fmt.Fprintf(t.Progress, "round %d of %d, %s: %s\n", round+1, t.Rounds, t.Names[i], measured)
			if err := t.Keep(i, measured); err != nil {
				return err
			}
		}
	}
	return nil
}
