package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	schedulerconfig "k8s.io/kube-scheduler/config/v1"

	"berth.dev/berth/tests/bench/placing"
	"berth.dev/berth/tests/e2e/fleet"
)

// bench has ways take turns on one cluster: etcd, kube-apiserver and Berth run throughout,
// kube-scheduler only during a block, so that it has nothing of the block before in its queue.
// Blocks of shipped ways have a Berth of their own.
type bench struct {
	options
	cluster  *placing.Cluster
	standIn  *standIn
	progress io.Writer

	shipped   placing.Way // of shipped ways
	scheduler string      // that pods of shipped ways name
}

// defaultMaxBackoff is kube-scheduler's podMaxBackoffSeconds.
const defaultMaxBackoff = 10

// start makes the cluster.
func start(ctx context.Context, o options, progress io.Writer) (*bench, error) {
	cluster, err := placing.Start(ctx,
		placing.Options{Nodes: o.nodes, Seed: o.seed, Progress: progress})
	if err != nil {
		return nil, err
	}
	b := &bench{options: o, cluster: cluster, standIn: startStandIn(), progress: progress}
	if err := errors.Join(b.readShipped(), cluster.AwaitBerth(ctx)); err != nil {
		b.stop()
		return nil, err
	}
	return b, nil
}

// readShipped notes what the chart says of shipped ways.
func (b *bench) readShipped() error {
	ways, err := placing.ParseWays("berth")
	if err != nil {
		return err
	}
	config, err := b.cluster.Shipped().Scheduler()
	if err != nil {
		return err
	}
	b.shipped = ways[0]
	if b.scheduler, err = b.shipped.SchedulerName(b.cluster.Shipped()); err != nil {
		return err
	}
	for i := range b.ways {
		if !b.ways[i].shipped {
			continue
		}
		b.ways[i].maxBackoff = defaultMaxBackoff
		if said := config.PodMaxBackoffSeconds; said != nil {
			b.ways[i].maxBackoff = *said
		}
	}
	return nil
}

func (b *bench) stop() {
	b.cluster.Stop()
	b.standIn.Close()
}

// measure runs one block. It leaves the cluster without pods.
func (b *bench) measure(ctx context.Context, w way, seed uint64) (block, error) {
	waiting := b.forWay(w, w.refused(b.waiting))
	if err := fleet.CreatePods(ctx, b.cluster.Box.Client, waiting); err != nil {
		return block{}, fmt.Errorf("create pods that nothing fits: %w", err)
	}
	storm := b.cluster.StartStorm(ctx, seed)
	measured, err := b.place(ctx, w, seed)
	b.cluster.Box.Scheduler.Stop()
	if err = errors.Join(err, storm.Stop(ctx), b.endShipped(ctx, w)); err != nil {
		return block{}, err
	}
	if err := b.cluster.Clear(ctx); err != nil {
		return block{}, err
	}
	return measured, b.cluster.AwaitBerth(ctx)
}

// place has kube-scheduler refuse those who wait for as long as they are to settle, and then has
// new pods come.
func (b *bench) place(ctx context.Context, w way, seed uint64) (block, error) {
	pods, err := placing.Watch(ctx, b.cluster.Box.Client)
	if err != nil {
		return block{}, err
	}
	defer pods.Stop()
	if err := b.startPrograms(ctx, w); err != nil {
		return block{}, err
	}
	if err := b.letSettle(ctx, w, pods); err != nil {
		return block{}, err
	}
	return b.time(ctx, w, seed, pods)
}

// startPrograms starts kube-scheduler, and where the way is shipped also Berth, as the chart has
// it.
func (b *bench) startPrograms(ctx context.Context, w way) error {
	if !w.shipped {
		return b.cluster.Box.ReconfigureScheduler(ctx,
			func(config *schedulerconfig.KubeSchedulerConfiguration) { w.configure(config, b.standIn) })
	}
	b.cluster.Box.Berth.Stop()
	_, err := b.cluster.StartWay(ctx, b.shipped)
	return err
}

// endShipped has Berth run as before.
func (b *bench) endShipped(ctx context.Context, w way) error {
	if !w.shipped {
		return nil
	}
	b.cluster.StopWay()
	return b.cluster.Box.ReconfigureBerth(ctx, nil)
}

// forWay has pods name the kube-scheduler of the way.
func (b *bench) forWay(w way, pods []*corev1.Pod) []*corev1.Pod {
	for _, pod := range pods {
		if w.shipped {
			pod.Spec.SchedulerName = b.scheduler
		}
	}
	return pods
}

// letSettle returns when all who wait were refused, and for long enough.
func (b *bench) letSettle(ctx context.Context, w way, pods *placing.Pods) error {
	if w.waits == waitsNobody {
		return nil
	}
	if err := pods.Await(ctx, refused(b.waiting)); err != nil || !w.settles() {
		return err
	}
	return sleep(ctx, b.settle)
}

// refused waits for so many pods to be refused, and for none to be placed.
func refused(count int) func(placing.Seen) (bool, error) {
	return func(seen placing.Seen) (bool, error) {
		if len(seen.Bound) > 0 {
			return false, fmt.Errorf("%d pods that nothing fits have a node", len(seen.Bound))
		}
		return len(seen.Refused) >= count, nil
	}
}

// time measures how long new pods wait.
func (b *bench) time(
	ctx context.Context, w way, seed uint64, pods *placing.Pods,
) (block, error) {
	before, err := b.used(ctx)
	if err != nil {
		return block{}, err
	}
	begin := time.Now()
	created, err := b.stream(ctx,
		b.forWay(w, fleet.Singles(seed, int(b.lasts.Seconds()*float64(b.rate)))))
	if err != nil {
		return block{}, err
	}
	waits, unbound, err := b.waits(ctx, created, pods)
	if err != nil {
		return block{}, err
	}
	took := time.Since(begin).Seconds()
	after, err := b.used(ctx)
	if err != nil {
		return block{}, err
	}
	measured := newBlock(waits, unbound)
	measured.SchedulerCores = (after.scheduler - before.scheduler) / took
	measured.BerthCores = (after.berth - before.berth) / took
	measured.AsksPerSecond = (after.asks - before.asks) / took
	return measured, nil
}

// creation is that of a new pod.
type creation struct {
	pod string // "<namespace>/<name>"
	at  time.Time
}

// stream creates the pods at the rate, whatever becomes of them.
func (b *bench) stream(ctx context.Context, pods []*corev1.Pod) ([]creation, error) {
	ticker := time.NewTicker(time.Second / time.Duration(b.rate))
	defer ticker.Stop()
	var created []creation
	for _, pod := range pods {
		created = append(created, creation{pod.Namespace + "/" + pod.Name, time.Now()})
		_, err := b.cluster.Box.Client.CoreV1().Pods(pod.Namespace).Create(ctx, pod,
			metav1.CreateOptions{})
		if err != nil {
			return nil, fmt.Errorf("create %s: %w", pod.Name, err)
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-ticker.C:
		}
	}
	return created, nil
}

// waits are those of new pods, as soon as all have a node or have had long enough to get one. One
// that has none counts as if it had got one then.
func (b *bench) waits(
	ctx context.Context, created []creation, pods *placing.Pods,
) (waits []wait, unbound int, err error) {
	enough, cancel := context.WithTimeout(ctx, b.last)
	defer cancel()
	look := func(seen placing.Seen) (bool, error) {
		waits, unbound = waitsOf(created, seen)
		return unbound == 0 || enough.Err() != nil, nil
	}
	if err := pods.Await(enough, look); !errors.Is(err, context.DeadlineExceeded) {
		return waits, unbound, err
	}
	return waits, unbound, pods.Await(ctx, look)
}

func waitsOf(created []creation, seen placing.Seen) (waits []wait, unbound int) {
	now := time.Now()
	for _, each := range created {
		bound, isBound := seen.Bound[each.pod]
		if !isBound {
			bound = now
			unbound++
		}
		waits = append(waits, wait{at: each.at.Sub(created[0].at), waited: bound.Sub(each.at)})
	}
	return waits, unbound
}

// used is what was used since the programs' start: seconds of CPU, and filter requests.
type used struct{ scheduler, berth, asks float64 }

func (b *bench) used(ctx context.Context) (used, error) {
	cpu, err := b.cluster.CPU()
	if err != nil {
		return used{}, err
	}
	samples, err := b.cluster.Box.Berth.Metrics(ctx)
	return used{cpu.Scheduler, cpu.Extender,
		samples.Sum("berth_extender_duration_seconds_count", `verb="filter"`)}, err
}

func sleep(ctx context.Context, duration time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(duration):
		return nil
	}
}
