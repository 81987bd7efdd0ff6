package rivals

import (
	"context"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"

	"berth.dev/berth/tests/bench/placing"
)

// one is a gang in a large cluster, of which some nodes are broken and all others are free.
var one = scene{
	title:   "one gang in a large cluster",
	nodes:   func(o options) int { return o.nodes },
	prepare: func(context.Context, *bench) error { return nil },
	present: func(options) []*corev1.Pod { return nil },
	gangs: func(o options, round int) []gang {
		return []gang{gangOf(fmt.Sprintf("train-%d", round), o.pods, o.devices)}
	},
	play: playOne,
}

// playOne creates the gang at once, and returns when all its pods have nodes, or time is up.
func playOne(ctx context.Context, b *bench, gangs []gang, t *turn) (outcome, error) {
	pods := gangs[0].pods
	created, err := placing.Create(ctx, t.creators, pods, placing.Pace{})
	if err != nil {
		return outcome{}, err
	}
	became, err := t.seen.AwaitAll(ctx, created, b.patience)
	if err != nil {
		return outcome{}, err
	}
	ran, took := 1, became.Last
	if became.Unbound > 0 {
		ran, took = 0, time.Since(created.First)
	}
	return outcome{
		Seconds: took.Seconds(), Created: created.Last.Sub(created.First).Seconds(), Ran: ran,
		PodsPerSecond: float64(len(pods)-became.Unbound) / took.Seconds(),
		Held:          heldSeconds(gangs, t.seen.Bound(), created.First.Add(took)),
	}, nil
}
