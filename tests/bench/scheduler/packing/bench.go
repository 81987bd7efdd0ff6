package packing

import (
	"context"
	"fmt"
	"io"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"berth.dev/berth/tests/bench/placing"
	"berth.dev/berth/tests/e2e/box"
	"berth.dev/berth/tests/e2e/fleet"
	"berth.dev/berth/tests/e2e/stranded"
)

// bench has etcd and kube-apiserver run throughout, the way's programs only while they are
// measured.
type bench struct {
	options
	cluster *placing.Cluster
	pools   []fleet.Pool
}

// start makes the cluster, in which no node has a fault.
func start(ctx context.Context, o options, progress io.Writer) (*bench, error) {
	cluster, err := placing.Start(ctx, placing.Options{Nodes: o.nodes, Seed: o.seed, NoFaults: true,
		Progress: progress})
	if err != nil {
		return nil, err
	}
	cluster.Box.Berth.Stop()
	return &bench{options: o, cluster: cluster, pools: fleet.Scaled(o.nodes)}, nil
}

// measure has a way fill the cluster. It leaves the cluster without pods.
func (b *bench) measure(ctx context.Context, w placing.Way, seed uint64) (outcome, error) {
	measured, err := b.fill(ctx, w, seed)
	b.cluster.StopWay()
	if err != nil {
		return outcome{}, err
	}
	return measured, b.cluster.Clear(ctx)
}

func (b *bench) fill(ctx context.Context, w placing.Way, seed uint64) (outcome, error) {
	seen, err := placing.Watch(ctx, b.cluster.Box.Client)
	if err != nil {
		return outcome{}, err
	}
	defer seen.Stop()
	pods, err := b.podsOf(w, seed)
	if err != nil {
		return outcome{}, err
	}
	if _, err := b.cluster.StartWay(ctx, w); err != nil {
		return outcome{}, err
	}
	creators, err := placing.Creators(b.cluster.Box.Config)
	if err != nil {
		return outcome{}, err
	}
	created, err := placing.Create(ctx, creators, pods, placing.Pace{PerSecond: b.rate})
	if err != nil {
		return outcome{}, err
	}
	if err := b.awaitQuiet(ctx, seen, len(pods)); err != nil {
		return outcome{}, err
	}
	all, err := b.cluster.Box.Client.CoreV1().Pods(metav1.NamespaceAll).
		List(ctx, metav1.ListOptions{})
	if err != nil {
		return outcome{}, err
	}
	became, err := seen.AwaitAll(ctx, created, 0)
	return newOutcome(stranded.Of(b.pools, all.Items), became), err
}

// podsOf are as many as ask for all devices that there are.
func (b *bench) podsOf(w placing.Way, seed uint64) ([]*corev1.Pod, error) {
	scheduler, err := w.SchedulerName(b.cluster.Shipped())
	if err != nil {
		return nil, err
	}
	devices := 0
	for _, pool := range b.pools {
		devices += pool.Nodes * int(pool.Devices)
	}
	pods := fleet.Mix(seed, devices) // no pod asks for less than one
	pods = pods[:stranded.UntilCapacity(b.pools, pods)]
	for _, pod := range pods {
		fleet.Admit(pod)
		pod.Spec.SchedulerName = scheduler
	}
	return pods, nil
}

// awaitQuiet returns when every pod was tried and none has got a node for long enough.
func (b *bench) awaitQuiet(ctx context.Context, seen *placing.Pods, pods int) error {
	bound, since := -1, time.Now()
	what := fmt.Sprintf("%d pods to be tried", pods)
	return box.Poll(ctx, b.patience, what, func(context.Context) (bool, error) {
		now := seen.Count()
		if now.Bound != bound || now.Tried < pods {
			bound, since = now.Bound, time.Now()
		}
		return time.Since(since) >= b.quiet, nil
	})
}
