package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"

	"berth.dev/berth/tests/bench/placing"
	"berth.dev/berth/tests/e2e/box"
	"berth.dev/berth/tests/e2e/spread"
)

// firstPods are placed before the clock starts, and stay: programs that run have connections, and
// have listed what they need.
const firstPods = 20

// turn is what a run does.
type turn struct {
	contender
	load    load
	seed    uint64
	profile string // file for kube-scheduler's CPU profile; empty: none
}

// run has the contender place the load's pods. It leaves the cluster without pods.
func (b *bench) run(ctx context.Context, t turn) (outcome, error) {
	o, err := b.place(ctx, t)
	t.cluster.StopWay()
	if err == nil {
		err = t.cluster.Clear(ctx)
	}
	if err != nil {
		return outcome{}, fmt.Errorf("%s, %s: %w", t.load.name, t.name, err)
	}
	return o, nil
}

// place starts the way's programs and measures from the first creation to the last binding.
func (b *bench) place(ctx context.Context, t turn) (outcome, error) {
	pods, err := placing.Watch(ctx, t.cluster.Box.Client)
	if err != nil {
		return outcome{}, err
	}
	defer pods.Stop()
	ready, err := t.cluster.StartWay(ctx, t.way)
	if err != nil {
		return outcome{}, err
	}
	storm := t.cluster.StartStorm(ctx, t.seed)
	o, err := b.time(ctx, t, pods)
	if err = errors.Join(err, storm.Stop(ctx)); err != nil || !t.way.AsksBerth() {
		return o, err
	}
	o.Berth, err = readBerth(ctx, t.cluster.Box.Berth)
	if err == nil {
		o.Berth.ReadySeconds = ready.Seconds()
	}
	return o, err
}

// time creates the pods and waits for all of them to have a node.
func (b *bench) time(ctx context.Context, t turn, seen *placing.Pods) (outcome, error) {
	creators, err := placing.Creators(t.cluster.Box.Config)
	if err != nil {
		return outcome{}, err
	}
	first, pods, err := b.podsOf(t)
	if err != nil {
		return outcome{}, err
	}
	if err := b.placeFirst(ctx, creators, first, seen); err != nil {
		return outcome{}, err
	}
	before, err := t.cluster.CPU()
	if err != nil {
		return outcome{}, err
	}
	profiled := b.startProfile(ctx, t)
	created, err := placing.Create(ctx, creators, pods, t.load.pace(b.rate))
	if err != nil {
		return outcome{}, errors.Join(err, <-profiled)
	}
	became, err := seen.AwaitAll(ctx, created, b.patience)
	if err == nil {
		err = unplaced(became)
	}
	after, cpuErr := t.cluster.CPU()
	return newOutcome(created, became, after.Since(before)), errors.Join(err, cpuErr, <-profiled)
}

// podsOf are the pods of a turn: those that come first, and those that are measured.
func (b *bench) podsOf(t turn) (first, pods []*corev1.Pod, err error) {
	scheduler, err := t.way.SchedulerName(t.cluster.Shipped())
	if err != nil {
		return nil, nil, err
	}
	pods = t.load.pods(t.seed, t.load.count(b.options))
	first = t.load.pods(^t.seed, firstPods)
	for _, pod := range first {
		pod.Name = "first-" + pod.Name
	}
	for _, pod := range slices.Concat(first, pods) {
		pod.Spec.SchedulerName = scheduler
	}
	return first, pods, nil
}

func (b *bench) placeFirst(
	ctx context.Context, creators []placing.Creator, pods []*corev1.Pod, seen *placing.Pods,
) error {
	created, err := placing.Create(ctx, creators, pods, placing.Pace{PerSecond: firstPods})
	if err != nil {
		return err
	}
	became, err := seen.AwaitAll(ctx, created, b.patience)
	if err != nil {
		return err
	}
	return unplaced(became)
}

// unplaced is an error where a pod has no node: every way has to place all of them, or they cannot
// be compared.
func unplaced(became placing.Outcome) error {
	if became.Unbound == 0 {
		return nil
	}
	pod := slices.Min(slices.Collect(maps.Keys(became.Without)))
	return fmt.Errorf("%d of %d pods have no node (%s: %q); ask for fewer -pods, more -nodes or more "+
		"-patience", became.Unbound, len(became.Waits), pod, became.Without[pod])
}

// startProfile profiles kube-scheduler beside what the caller does; the channel tells how it went.
func (b *bench) startProfile(ctx context.Context, t turn) <-chan error {
	done := make(chan error, 1)
	if t.profile == "" {
		done <- nil
		return done
	}
	go func() {
		done <- box.WriteFile(t.profile, func(w io.Writer) error {
			return t.cluster.Box.ProfileScheduler(ctx, b.profileLength, w)
		})
	}()
	return done
}

// milliseconds of CPU time for each pod.
func each(seconds float64, pods int) float64 { return seconds * 1000 / float64(pods) }

func newOutcome(created placing.Created, became placing.Outcome, used placing.CPU) outcome {
	count := len(created.At)
	waits := became.Seconds()
	if count < 2 || became.Last <= 0 {
		return outcome{}
	}
	return outcome{
		PodsPerSecond:    float64(count) / became.Last.Seconds(),
		LastBinding:      became.Last.Seconds(),
		WaitP50:          spread.Quantile(waits, 0.5),
		WaitP99:          spread.Quantile(waits, 0.99),
		CreatedPerSecond: created.PerSecond(),
		Refused:          became.Refused,
		Nominated:        became.Nominated,
		SchedulerCPU:     each(used.Scheduler, count),
		BerthCPU:         each(used.Extender, count),
		ControllerCPU:    each(used.Controller, count),
		APIServerCPU:     each(used.APIServer, count),
	}
}
