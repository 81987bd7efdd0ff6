package faults

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"berth.dev/berth/tests/bench/placing"
	"berth.dev/berth/tests/e2e/box"
	"berth.dev/berth/tests/e2e/fleet"
	"berth.dev/berth/tests/e2e/judge"
	"berth.dev/berth/tests/e2e/spread"
)

const (
	// A node of as many breaks in so long: about a tenth of them are broken at a time.
	breakEvery = time.Minute
	retryAfter = 200 * time.Millisecond
)

// fault is something that fails while pods are placed, and what is done about it.
type fault struct {
	name, title   string
	ofControllers bool
	happen        func(context.Context, *bench) error
}

var allFaults = []fault{
	{name: "none", title: "nothing fails", happen: func(context.Context, *bench) error { return nil }},
	{name: "controllers-killed", title: "all controllers are killed and stay away",
		ofControllers: true, happen: killControllers},
	{name: "api-away", title: "kube-apiserver is killed and away for a while", happen: takeAPIAway},
	{name: "scheduler-restarted", title: "kube-scheduler is killed and started again",
		happen: restartScheduler},
	{name: "leader-changed", title: "the controller that leads ends, and the other leads",
		ofControllers: true, happen: changeLeader},
}

func faultNames() string {
	var names []string
	for _, f := range allFaults {
		names = append(names, f.name)
	}
	return strings.Join(names, ",")
}

// bench has etcd and kube-apiserver run throughout, the other programs while they are measured.
type bench struct {
	options
	cluster *placing.Cluster
}

func start(ctx context.Context, o options, progress io.Writer) (*bench, error) {
	cluster, err := placing.Start(ctx, placing.Options{Nodes: o.nodes, Seed: o.seed,
		Progress: progress})
	if err != nil {
		return nil, err
	}
	cluster.Box.Berth.Stop()
	return &bench{options: o, cluster: cluster}, nil
}

// measure has a fault come while pods are placed. It leaves the cluster without pods.
func (b *bench) measure(ctx context.Context, f fault, seed uint64) (outcome, error) {
	measured, err := b.place(ctx, f, seed)
	b.cluster.StopWay()
	if err != nil {
		return outcome{}, err
	}
	return measured, b.cluster.Clear(ctx)
}

// place starts all programs, two controllers among them, and has everything watched.
func (b *bench) place(ctx context.Context, f fault, seed uint64) (outcome, error) {
	client := b.cluster.Box.Client
	seen, err := placing.Watch(ctx, client)
	if err != nil {
		return outcome{}, err
	}
	defer seen.Stop()
	if _, err := b.cluster.StartWay(ctx, b.way); err != nil {
		return outcome{}, err
	}
	decisions := ""
	if b.way.AsksBerth() {
		decisions = b.cluster.Box.DecisionsAddress()
	}
	if b.way.HasController() {
		if err := b.cluster.StartStandby(ctx, b.way); err != nil {
			return outcome{}, err
		}
	}
	j, err := judge.Start(ctx, client, judge.ExcludingRules(), box.ManagedResources, decisions)
	if err != nil {
		return outcome{}, err
	}
	defer j.Stop()
	storm := b.cluster.StartStormEvery(ctx, seed, breakEvery/time.Duration(b.nodes))
	became, err := b.placeAll(ctx, f, seed, seen)
	if err = errors.Join(err, storm.Stop(ctx)); err != nil {
		return outcome{}, err
	}
	return b.judge(ctx, became, seen, j.Report())
}

// placeAll creates the pods, has the fault come when some of them have a node, and waits for the
// others.
func (b *bench) placeAll(
	ctx context.Context, f fault, seed uint64, seen *placing.Pods,
) (placing.Outcome, error) {
	pods, err := b.podsOf(seed)
	if err != nil {
		return placing.Outcome{}, err
	}
	creators, err := placing.Creators(b.cluster.Box.Config)
	if err != nil {
		return placing.Outcome{}, err
	}
	for i := range creators {
		creators[i] = persistent(creators[i])
	}
	happened := make(chan error, 1)
	go func() { happened <- b.failWhen(ctx, f, seen) }()
	created, err := placing.Create(ctx, creators, pods, placing.Pace{})
	if err = errors.Join(err, <-happened); err != nil {
		return placing.Outcome{}, err
	}
	return seen.AwaitAll(ctx, created, b.patience)
}

func (b *bench) podsOf(seed uint64) ([]*corev1.Pod, error) {
	scheduler, err := b.way.SchedulerName(b.cluster.Shipped())
	pods := load(fleet.Scaled(b.nodes), seed, b.pods)
	for _, pod := range pods {
		pod.Spec.SchedulerName = scheduler
	}
	return pods, err
}

// persistent tries again until a pod is there.
func persistent(create placing.Creator) placing.Creator {
	return func(ctx context.Context, pod *corev1.Pod) error {
		for {
			err := create(ctx, pod)
			if err == nil || apierrors.IsAlreadyExists(err) || ctx.Err() != nil {
				return ctx.Err()
			}
			if apierrors.IsInvalid(err) || apierrors.IsForbidden(err) {
				return err // and will be
			}
			select {
			case <-ctx.Done():
			case <-time.After(retryAfter):
			}
		}
	}
}

// failWhen has the fault come when enough pods have a node.
func (b *bench) failWhen(ctx context.Context, f fault, seen *placing.Pods) error {
	enough := int(b.after * float64(b.pods))
	err := seen.Await(ctx, func(now placing.Seen) (bool, error) { return len(now.Bound) >= enough, nil })
	if err != nil {
		return err
	}
	return f.happen(ctx, b)
}

// judge says what became of the pods.
func (b *bench) judge(
	ctx context.Context, became placing.Outcome, seen *placing.Pods, report judge.Report,
) (outcome, error) {
	crowded, err := placing.Overcommitted(ctx, b.cluster.Box.Client)
	if err != nil {
		return outcome{}, err
	}
	waits := became.Seconds()
	return outcome{
		LastBinding: became.Last.Seconds(), WaitP99: spread.Quantile(waits, 0.99),
		Broken: len(report.With(judge.Broken)), InFlight: len(report.With(judge.InFlight)),
		Unclear: len(report.With(judge.Unclear)), Lost: became.Unbound + len(seen.Deleted()),
		Overcommitted: len(crowded), Nominated: became.Nominated,
		Details: details(became, seen.Deleted(), crowded, report.With(judge.Broken)),
	}, nil
}

// details say who is meant.
func details(
	became placing.Outcome, gone map[string]string, crowded []string, broken []judge.Placement,
) []string {
	var all []string
	for pod, why := range became.Without {
		all = append(all, fmt.Sprintf("%s has no node: %q", pod, why))
	}
	for pod, node := range gone {
		all = append(all, fmt.Sprintf("%s on %q is gone", pod, node))
	}
	for _, p := range broken {
		all = append(all, fmt.Sprintf("%s/%s got %s %s after %s", p.Namespace, p.Pod, p.Node,
			p.After.Round(time.Millisecond), p.Condition))
	}
	slices.Sort(all)
	return append(all, crowded...)
}
