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
	var took time.Duration
	if err := pods.Await(ctx, placed(1, &took)); err != nil {
		return err
	}
	schedulerBefore, berthBefore, err := b.cluster.CPU()
	if err != nil {
		return err
	}
	profiled := b.startProfile(ctx, t.profile)
	if err := pods.Await(ctx, placed(count, &took)); err != nil {
		return err
	}
	scheduler, berth, err := b.cluster.CPU()
	if err != nil {
		return err
	}
	between := float64(count - 1)
	o.PodsPerSecond = between / took.Seconds()
	o.SchedulerCPU = (scheduler - schedulerBefore) * 1000 / between
	o.BerthCPU = (berth - berthBefore) * 1000 / between
	return <-profiled
}

// placed waits for so many pods to have a node, and tells how long that took from the first. It is an
// error if a pod finds none: every way has to place all of them, or they cannot be compared.
func placed(count int, took *time.Duration) func(placing.Seen) (bool, error) {
	return func(seen placing.Seen) (bool, error) {
		for name, why := range seen.Refused {
			return false, fmt.Errorf("pod %s finds no node (%s); ask for fewer -pods or more -nodes", name,
				why)
		}
		if len(seen.Bound) < count {
			return false, nil
		}
		*took = seen.Took()
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
