package rivals

import (
	"context"
	"time"

	"berth.dev/berth/tests/bench/placing"
	"berth.dev/berth/tests/e2e/box"
)

const askEvery = 250 * time.Millisecond

// watchReserved tells, when ctx ends, how many devices were kept from others for pods without a node,
// times the seconds: for pods of so many devices to which kube-scheduler has given a node, and whose
// binding it delays, and for pods that are nominated. kube-scheduler counts the first ones once a
// second.
func watchReserved(
	ctx context.Context, b *box.Box, seen *placing.Pods, devices int64,
) <-chan float64 {
	result := make(chan float64, 1)
	go func() {
		sum, before := 0.0, time.Now()
		ticker := time.NewTicker(askEvery)
		defer ticker.Stop()
		for {
			select {
			case <-ctx.Done():
				result <- sum
				return
			case <-ticker.C:
			}
			now := time.Now()
			sum += float64(devices) * (assumed(ctx, b) + float64(seen.Promised())) * now.Sub(before).Seconds()
			before = now
		}
	}()
	return result
}

// assumed is how many pods kube-scheduler has given a node without having bound them.
func assumed(ctx context.Context, b *box.Box) float64 {
	samples, err := b.SchedulerMetrics(ctx)
	if err != nil {
		return 0 // it does not run yet, or ctx has ended
	}
	return samples.Sum("scheduler_cache_size", `type="assumed_pods"`)
}
