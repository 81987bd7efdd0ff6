package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	schedulerconfig "k8s.io/kube-scheduler/config/v1"

	"berth.dev/berth/tests/e2e/box"
	"berth.dev/berth/tests/e2e/churn"
	"berth.dev/berth/tests/e2e/fleet"
)

const (
	awaitTimeout  = 4 * time.Minute
	awaitInterval = 50 * time.Millisecond
	// One node in so many has a fault for as long as the benchmark takes.
	brokenEvery = 33
	// Nodes break and recover meanwhile, as in life: events after which kube-scheduler tries pods.
	faultInterval = time.Second
)

var faultsLast = churn.Span{Least: 2 * time.Second, Most: 10 * time.Second}

// bench has ways take turns on one cluster: etcd, kube-apiserver and Berth run throughout,
// kube-scheduler only during a block, so that it has nothing of the block before in its queue.
type bench struct {
	options
	box      *box.Box
	standIn  *standIn
	well     []string // nodes with accelerators and without a fault
	progress io.Writer
}

// start makes the cluster and stops all that has no part in placing pods.
func start(ctx context.Context, o options, progress io.Writer) (*bench, error) {
	cluster, err := box.Start(ctx, box.Options{Berth: &box.BerthOptions{}, Progress: progress})
	if err != nil {
		return nil, err
	}
	b := &bench{options: o, box: cluster, standIn: startStandIn(), progress: progress}
	if err := b.prepare(ctx); err != nil {
		b.stop()
		return nil, err
	}
	return b, nil
}

func (b *bench) stop() {
	b.box.Stop()
	b.standIn.Close()
}

func (b *bench) prepare(ctx context.Context) error {
	for _, process := range []*box.Process{b.box.Scheduler, b.box.Kwok, b.box.ControllerManager} {
		process.Stop()
	}
	pools := fleet.Scaled(b.nodes)
	if err := fleet.CreateNodes(ctx, b.box.Client, pools); err != nil {
		return fmt.Errorf("create nodes: %w", err)
	}
	random := rand.New(rand.NewPCG(b.seed, 6))
	for _, pool := range pools {
		for index := range pool.Nodes {
			name := pool.NodeName(index)
			if pool.Accelerator == "" {
				continue
			}
			if random.IntN(brokenEvery) != 0 {
				b.well = append(b.well, name)
				continue
			}
			if err := fleet.SetCondition(ctx, b.box.Client, name, churn.Excluding[0], true); err != nil {
				return fmt.Errorf("break %s: %w", name, err)
			}
		}
	}
	return b.awaitBerth(ctx)
}

// awaitBerth returns when Berth knows the nodes, and of no pod that has one.
func (b *bench) awaitBerth(ctx context.Context) error {
	return await(ctx, fmt.Sprintf("berth to know %d nodes without pods", b.nodes), func() (bool, error) {
		samples, err := b.box.Berth.Metrics(ctx)
		return samples.Sum("berth_nodes") == float64(b.nodes) &&
			samples.Sum("berth_accelerator_devices", `state="used"`) == 0, err
	})
}

// measure runs one block. It leaves the cluster without pods.
func (b *bench) measure(ctx context.Context, w way, seed uint64) (block, error) {
	if err := fleet.CreatePods(ctx, b.box.Client, w.refused(b.waiting)); err != nil {
		return block{}, fmt.Errorf("create pods that nothing fits: %w", err)
	}
	storm := churn.StartStorm(ctx, b.box.Client, churn.Weather{Nodes: b.well, Every: faultInterval,
		Lasts: faultsLast, Seed: seed, PatchOnly: true})
	measured, err := b.place(ctx, w, seed)
	b.box.Scheduler.Stop()
	if err = errors.Join(err, storm.Stop(ctx)); err != nil {
		return block{}, err
	}
	return measured, b.clear(ctx)
}

// place has kube-scheduler refuse those who wait for as long as they are to settle, and then has new
// pods come.
func (b *bench) place(ctx context.Context, w way, seed uint64) (block, error) {
	seen, err := watchPods(ctx, b.box.Client)
	if err != nil {
		return block{}, err
	}
	defer seen.stop()
	err = b.box.ReconfigureScheduler(ctx, func(config *schedulerconfig.KubeSchedulerConfiguration) {
		w.configure(config, b.standIn)
	})
	if err != nil {
		return block{}, err
	}
	if err := b.letSettle(ctx, w, seen); err != nil {
		return block{}, err
	}
	return b.time(ctx, seed, seen)
}

// letSettle returns when all who wait were refused, and for long enough.
func (b *bench) letSettle(ctx context.Context, w way, seen *pods) error {
	if w.waits == waitsNobody {
		return nil
	}
	if err := seen.awaitRefused(ctx, b.waiting); err != nil || !w.settles() {
		return err
	}
	return sleep(ctx, b.settle)
}

// time measures how long new pods wait.
func (b *bench) time(ctx context.Context, seed uint64, seen *pods) (block, error) {
	before, err := b.used(ctx)
	if err != nil {
		return block{}, err
	}
	begin := time.Now()
	pods := fleet.Singles(seed, int(b.lasts.Seconds()*float64(b.rate)))
	if err := b.stream(ctx, pods, seen); err != nil {
		return block{}, err
	}
	if err := seen.awaitBound(ctx, len(pods), lastTries); err != nil {
		return block{}, err
	}
	took := time.Since(begin).Seconds()
	after, err := b.used(ctx)
	if err != nil {
		return block{}, err
	}
	measured := newBlock(seen.waits(begin))
	measured.SchedulerCores = (after.scheduler - before.scheduler) / took
	measured.BerthCores = (after.berth - before.berth) / took
	measured.AsksPerSecond = (after.asks - before.asks) / took
	return measured, nil
}

// stream creates the pods at the rate, whatever becomes of them.
func (b *bench) stream(ctx context.Context, pods []*corev1.Pod, seen *pods) error {
	ticker := time.NewTicker(time.Second / time.Duration(b.rate))
	defer ticker.Stop()
	for _, pod := range pods {
		seen.creates(pod)
		_, err := b.box.Client.CoreV1().Pods(pod.Namespace).Create(ctx, pod, metav1.CreateOptions{})
		if err != nil {
			return fmt.Errorf("create %s: %w", pod.Name, err)
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-ticker.C:
		}
	}
	return nil
}

// used is what was used since the programs' start: seconds of CPU, and filter requests.
type used struct{ scheduler, berth, asks float64 }

func (b *bench) used(ctx context.Context) (used, error) {
	scheduler, err := b.box.Scheduler.Usage()
	if err != nil {
		return used{}, err
	}
	berth, err := b.box.Berth.Usage()
	if err != nil {
		return used{}, err
	}
	samples, err := b.box.Berth.Metrics(ctx)
	return used{scheduler.CPUSeconds, berth.CPUSeconds,
		samples.Sum("berth_extender_duration_seconds_count", `verb="filter"`)}, err
}

// clear deletes all pods and returns when Berth knows of none.
func (b *bench) clear(ctx context.Context) error {
	err := b.box.Client.CoreV1().Pods(metav1.NamespaceDefault).DeleteCollection(ctx,
		metav1.DeleteOptions{GracePeriodSeconds: new(int64)}, metav1.ListOptions{})
	if err != nil {
		return fmt.Errorf("delete pods: %w", err)
	}
	return b.awaitBerth(ctx)
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
		if err := sleep(ctx, awaitInterval); err != nil {
			return fmt.Errorf("waited in vain for %s: %w", what, err)
		}
	}
}

func sleep(ctx context.Context, duration time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(duration):
		return nil
	}
}
