package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	schedulerconfig "k8s.io/kube-scheduler/config/v1"

	"berth.dev/berth/tests/bench/ask"
	"berth.dev/berth/tests/e2e/box"
	"berth.dev/berth/tests/e2e/churn"
	"berth.dev/berth/tests/e2e/fleet"
)

// A node breaks and another recovers while pods are placed, as in life: no cache stays good for
// ever.
const faultInterval = time.Second

var faultsLast = churn.Span{Least: 2 * time.Second, Most: 10 * time.Second}

// looking is how kube-scheduler looks for nodes.
type looking struct {
	how     string
	percent *int32 // percentageOfNodesToScore
	// share is how many times fewer pods are placed, because each takes longer.
	share int
}

var allLooking = []looking{
	{"kube-scheduler, every node looked at", new(int32(100)), 2},
	{"kube-scheduler, default node sampling", nil, 1},
}

// schedule has a real kube-scheduler place pods and notes what Berth says of its answers.
func (b *bench) schedule(ctx context.Context) error {
	if _, err := b.startBerth(ctx, nil); err != nil {
		return err
	}
	storm := churn.StartStorm(ctx, b.box.Client, churn.Weather{Nodes: b.gpus, Every: faultInterval,
		Lasts: faultsLast, Seed: b.seed, PatchOnly: true})
	var err error
	for _, l := range allLooking {
		if err = b.scheduleBy(ctx, l); err != nil {
			break
		}
	}
	b.box.Scheduler.Stop()
	return errors.Join(err, storm.Stop(ctx))
}

func (b *bench) scheduleBy(ctx context.Context, l looking) error {
	if err := b.box.ReconfigureScheduler(ctx, l.configure); err != nil {
		return err
	}
	filter := answers{Who: "Berth", Verb: "filter", How: l.how, Nodes: b.nodes}
	prioritize := answers{Who: "Berth", Verb: "prioritize", How: l.how}
	if l.percent == nil {
		filter.Nodes = ask.SampleSize(b.nodes)
	}
	for i := range b.rounds {
		before, err := b.box.Berth.Metrics(ctx)
		if err != nil {
			return err
		}
		if err := b.place(ctx, pods(b.seed+uint64(i), max(1, b.batch/l.share))); err != nil {
			return err
		}
		after, err := b.box.Berth.Metrics(ctx)
		if err != nil {
			return err
		}
		for _, each := range []*answers{&filter, &prioritize} {
			came := histogramOf(after, each.Verb).Since(histogramOf(before, each.Verb))
			each.Rounds = append(each.Rounds, berthRound(came))
		}
		fmt.Fprintf(b.progress, "%s: round %d of %d\n", l.how, i+1, b.rounds)
	}
	b.report.Answers = append(b.report.Answers, filter, prioritize)
	return nil
}

// configure has kube-scheduler ask about the nodes without counting devices first, or Berth would
// never be asked about all of them.
func (l looking) configure(config *schedulerconfig.KubeSchedulerConfiguration) {
	config.PercentageOfNodesToScore = l.percent
	managed := config.Extenders[0].ManagedResources
	for i := range managed {
		managed[i].IgnoredByScheduler = true
	}
}

// place creates pods, waits until each has a node, and deletes them again.
func (b *bench) place(ctx context.Context, pods []*corev1.Pod) error {
	if err := fleet.CreatePods(ctx, b.box.Client, pods); err != nil {
		return fmt.Errorf("create pods: %w", err)
	}
	err := box.Poll(ctx, awaitTimeout, "all pods to get a node", func(ctx context.Context) (bool, error) {
		return b.none(ctx, "spec.nodeName=")
	})
	if err != nil {
		return err
	}
	for index := range namespaces {
		err := b.box.Client.CoreV1().Pods(namespaceName(index)).DeleteCollection(ctx,
			metav1.DeleteOptions{GracePeriodSeconds: new(int64)}, metav1.ListOptions{})
		if err != nil {
			return fmt.Errorf("delete pods: %w", err)
		}
	}
	return box.Poll(ctx, awaitTimeout, "pods to be gone", func(ctx context.Context) (bool, error) {
		return b.none(ctx, "")
	})
}

// none tells whether there is no pod that the selector selects.
func (b *bench) none(ctx context.Context, selector string) (bool, error) {
	left, err := b.box.Client.CoreV1().Pods(metav1.NamespaceAll).
		List(ctx, metav1.ListOptions{FieldSelector: selector, Limit: 1})
	return err == nil && len(left.Items) == 0, err
}
