package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	schedulerconfig "k8s.io/kube-scheduler/config/v1"

	"berth.dev/berth/tests/e2e/box"
	"berth.dev/berth/tests/e2e/churn"
	"berth.dev/berth/tests/e2e/fleet"
)

const (
	awaitTimeout  = 2 * time.Minute
	awaitInterval = 20 * time.Millisecond
	// Nodes break and recover while pods are placed, as in life: no cache stays good for ever.
	faultInterval = time.Second
)

var faultsLast = churn.Span{Least: 2 * time.Second, Most: 10 * time.Second}

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
	if err := fleet.CreatePods(ctx, b.box.Client, pods); err != nil {
		return outcome{}, fmt.Errorf("create pods: %w", err)
	}
	o, err := b.place(ctx, t, len(pods))
	b.box.Scheduler.Stop()
	b.box.Berth.Stop()
	if err == nil {
		err = b.clear(ctx)
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
	bound, err := watchBindings(ctx, b.box.Client)
	if err != nil {
		return outcome{}, err
	}
	defer bound.stop()
	storm := churn.StartStorm(ctx, b.box.Client, churn.Weather{Nodes: b.well, Every: faultInterval,
		Lasts: faultsLast, Seed: t.seed, PatchOnly: true})
	err = b.box.ReconfigureScheduler(ctx, func(config *schedulerconfig.KubeSchedulerConfiguration) {
		t.load.configure(config)
		t.way.register(config, b.echo)
	})
	if err == nil {
		err = b.time(ctx, t, bound, count, &o)
	}
	if err = errors.Join(err, storm.Stop(ctx)); err != nil || o.Berth == nil {
		return o, err
	}
	return o, o.Berth.read(ctx, b.box.Berth)
}

// time measures from the first to the last binding.
func (b *bench) time(ctx context.Context, t turn, bound *bindings, count int, o *outcome) error {
	if err := bound.await(ctx, 1); err != nil {
		return err
	}
	schedulerBefore, berthBefore, err := b.cpu()
	if err != nil {
		return err
	}
	profiled := b.startProfile(ctx, t.profile)
	if err := bound.await(ctx, count); err != nil {
		return err
	}
	scheduler, berth, err := b.cpu()
	if err != nil {
		return err
	}
	between := float64(count - 1)
	o.PodsPerSecond = between / bound.took().Seconds()
	o.SchedulerCPU = (scheduler - schedulerBefore) * 1000 / between
	o.BerthCPU = (berth - berthBefore) * 1000 / between
	return <-profiled
}

// cpu are the seconds that kube-scheduler and Berth, where it runs, have used so far.
func (b *bench) cpu() (scheduler, berth float64, err error) {
	usage, err := b.box.Scheduler.Usage()
	if err != nil || !b.box.Berth.Running() {
		return usage.CPUSeconds, 0, err
	}
	ours, err := b.box.Berth.Usage()
	return usage.CPUSeconds, ours.CPUSeconds, err
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
			return b.box.ProfileScheduler(ctx, b.profileLength, w)
		})
	}()
	return done
}

// clear deletes all pods and returns when there are none.
func (b *bench) clear(ctx context.Context) error {
	for index := range namespaces {
		err := b.box.Client.CoreV1().Pods(namespaceName(index)).DeleteCollection(ctx,
			metav1.DeleteOptions{GracePeriodSeconds: new(int64)}, metav1.ListOptions{})
		if err != nil {
			return fmt.Errorf("delete pods: %w", err)
		}
	}
	return await(ctx, "pods to be gone", func() (bool, error) {
		left, err := b.box.Client.CoreV1().Pods(metav1.NamespaceAll).
			List(ctx, metav1.ListOptions{Limit: 1})
		return err == nil && len(left.Items) == 0, err
	})
}

// await polls until something holds.
func await(ctx context.Context, what string, holds func() (bool, error)) error {
	ctx, cancel := context.WithTimeout(ctx, awaitTimeout)
	defer cancel()
	for {
		done, err := holds()
		if done || err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("waited in vain for %s: %w", what, ctx.Err())
		case <-time.After(awaitInterval):
		}
	}
}
