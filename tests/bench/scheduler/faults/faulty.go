package faults

import (
	"context"
	"errors"
	"time"
)

func killControllers(_ context.Context, b *bench) error {
	for _, each := range b.cluster.Controllers {
		each.Kill()
	}
	return nil
}

// takeAPIAway also does what kubelet does: it starts again what has ended meanwhile.
func takeAPIAway(ctx context.Context, b *bench) error {
	b.cluster.Box.APIServer.Kill()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(b.away):
	}
	if err := b.cluster.Box.APIServer.Start(ctx); err != nil {
		return err
	}
	for _, each := range b.cluster.Controllers {
		if each.Running() {
			continue
		}
		if err := each.Start(ctx); err != nil {
			return err
		}
	}
	return nil
}

func restartScheduler(ctx context.Context, b *bench) error {
	b.cluster.Box.Scheduler.Kill()
	return b.cluster.Box.Scheduler.Start(ctx)
}

func changeLeader(ctx context.Context, b *bench) error {
	leader := b.cluster.Leader(ctx)
	if leader == nil {
		return errors.New("no controller leads")
	}
	leader.Stop()
	return b.cluster.AwaitLeader(ctx)
}
