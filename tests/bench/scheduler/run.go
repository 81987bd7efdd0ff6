package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	schedulerconfig "k8s.io/kube-scheduler/config/v1"

	"berth.dev/berth/tests/bench/placing"
	"berth.dev/berth/tests/e2e/box"
	"berth.dev/berth/tests/e2e/fleet"
)

// turn is what a run does.
type turn struct {
	load    load
	way     way
	seed    uint64
	profile string // file for kube-scheduler's CPU profile; empty: none
}

// run has the way place the load's pods, which are there before kube-scheduler starts. It leaves
// the cluster without pods.
func (b *bench) run(ctx context.Context, t turn) (outcome, error) {
	pods := t.load.pods(t.seed, t.load.count(b.pods))
	if err := fleet.CreatePods(ctx, b.cluster.Box.Client, pods); err != nil {
		return outcome{}, fmt.Errorf("create pods: %w", err)
	}
	o, err := b.place(ctx, t, len(pods))
	b.cluster.Box.Scheduler.Stop()
	b.cluster.Box.Berth.Stop()
	if err == nil {
		err = b.cluster.Clear(ctx)
	}
	if err != nil {
		return outcome{}, fmt.Errorf("%s, %s: %w", t.load.name, t.way.name, err)
	}
	return o, nil
}

// place starts the way's extender and kube-scheduler, and measures until count pods have nodes.
func (b *bench) place(ctx context.Context, t turn, count int) (outcome, error) {
	var o outcome
	if t.way.extender == extenderBerth {
		var err error
		if o.Berth, err = b.startBerth(ctx, t.way); err != nil {
			return outcome{}, err
		}
	}
	pods, err := placing.Watch(ctx, b.cluster.Box.Client)
	if err != nil {
		return outcome{}, err
	}
	defer pods.Stop()
	storm := b.cluster.StartStorm(ctx, t.seed)
	err = b.cluster.Box.ReconfigureScheduler(ctx, func(config *schedulerconfig.KubeSchedulerConfiguration) {
		t.load.configure(config)
		t.way.register(config, b.echo)
	})
	if err == nil {
		err = b.time(ctx, t, pods, count, &o)
	}
	if err = errors.Join(err, storm.Stop(ctx)); err != nil || o.Berth == nil {
		return o, err
	}
	return o, o.Berth.read(ctx, b.cluster.Box.Berth)
}

// time measures from the first to the last binding.
func (b *bench) time(ctx context.Context, t turn, pods *placing.Pods, count int, o *outcome) error {
	var first, last bindings
	if err := pods.Await(ctx, placed(1, &first)); err != nil {
		return err
	}
	schedulerBefore, berthBefore, err := b.cluster.CPU()
	if err != nil {
		return err
	}
	// A busy machine may bind many pods between the first binding and the reading of CPU time.
	if err := pods.Await(ctx, placed(1, &first)); err != nil {
		return err
	}
	profiled := b.startProfile(ctx, t.profile)
	if err := pods.Await(ctx, placed(count, &last)); err != nil {
		return err
	}
	scheduler, berth, err := b.cluster.CPU()
	if err != nil {
		return err
	}
	metered := float64(last.count - first.count)
	if metered == 0 {
		return errors.Join(errTooFewPods, <-profiled)
	}
	o.PodsPerSecond = float64(last.count-1) / last.took.Seconds()
	o.SchedulerCPU = (scheduler - schedulerBefore) * 1000 / metered
	o.BerthCPU = (berth - berthBefore) * 1000 / metered
	return <-profiled
}

var errTooFewPods = errors.New("all pods had a node before CPU time was read; ask for more -pods")

// bindings are those that were seen so far.
type bindings struct {
	count int
	took  time.Duration // from the first to the last
}

// placed waits for so many pods to have a node, and tells of those that have one. It is an error if
// a pod finds none: every way has to place all of them, or they cannot be compared.
func placed(count int, bound *bindings) func(placing.Seen) (bool, error) {
	return func(seen placing.Seen) (bool, error) {
		for name, why := range seen.Refused {
			return false, fmt.Errorf("pod %s finds no node (%s); ask for fewer -pods or more -nodes", name,
				why)
		}
		if len(seen.Bound) < count {
			return false, nil
		}
		*bound = bindings{count: len(seen.Bound), took: seen.Took()}
		return true, nil
	}
}

// startProfile profiles kube-scheduler beside what the caller does; the channel tells how it went.
func (b *bench) startProfile(ctx context.Context, file string) <-chan error {
	done := make(chan error, 1)
	if file == "" {
		done <- nil
		return done
	}
	go func() {
		done <- box.WriteFile(file, func(w io.Writer) error {
			return b.cluster.Box.ProfileScheduler(ctx, b.profileLength, w)
		})
	}()
	return done
}
