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

	"berth.dev/berth/tests/e2e/box"
	"berth.dev/berth/tests/e2e/fleet"
	"berth.dev/berth/tests/e2e/stranded"
)

const (
	pollInterval = 500 * time.Millisecond
	// Time in which at least one more pod has to be decided upon; on a loaded machine, too.
	stallTimeout = 2 * time.Minute
)

// cluster is a control plane on which workloads are replayed one after the other.
type cluster struct {
	way   way
	pools []fleet.Pool
	box   *box.Box
	out   io.Writer
}

// outcome is what a replay left at both moments.
type outcome struct {
	atCapacity stranded.Holding // when as many devices had been asked for as there are
	atEnd      stranded.Holding // after the last pod
}

func startCluster(ctx context.Context, w way, o options, out io.Writer) (*cluster, error) {
	fmt.Fprintf(out, "\n== %s\n", w.title)
	b, err := box.Start(ctx, box.Options{
		Berth: w.berth, Stages: fleet.Stages, Progress: out,
		Scheduler: func(config *schedulerconfig.KubeSchedulerConfiguration) {
			config.PercentageOfNodesToScore = &o.percentage
			w.register(config)
		},
	})
	if err != nil {
		return nil, err
	}
	if err := fleet.CreateNodes(ctx, b.Client, o.pools); err != nil {
		b.Stop()
		return nil, fmt.Errorf("create nodes: %w", err)
	}
	if err := fleet.CreateDaemons(ctx, b.Client); err != nil {
		b.Stop()
		return nil, fmt.Errorf("create the nodes' daemons: %w", err)
	}
	return &cluster{w, o.pools, b, out}, nil
}

// replay creates the pods of a seed in their order on the empty cluster.
func (c *cluster) replay(ctx context.Context, seed uint64, count int) (outcome, error) {
	begin := time.Now()
	if err := c.empty(ctx); err != nil {
		return outcome{}, fmt.Errorf("empty the cluster: %w", err)
	}
	pods := fleet.Mix(seed, count)
	full := stranded.UntilCapacity(c.pools, pods)
	var result outcome
	var err error
	if result.atCapacity, err = c.offer(ctx, pods[:full]); err != nil {
		return outcome{}, err
	}
	if result.atEnd, err = c.offer(ctx, pods[full:]); err != nil {
		return outcome{}, err
	}
	fmt.Fprintf(c.out, "seed %d: %d stranded after %d pods, %d after %d; %.0f s\n", seed,
		result.atCapacity.Total(), full, result.atEnd.Total(), len(pods), time.Since(begin).Seconds())
	return result, nil
}

// offer creates pods one after the other and counts when all have been decided upon.
func (c *cluster) offer(ctx context.Context, pods []*corev1.Pod) (stranded.Holding, error) {
	for _, pod := range pods {
		api := c.box.Client.CoreV1().Pods(pod.Namespace)
		if _, err := api.Create(ctx, pod, metav1.CreateOptions{}); err != nil {
			return stranded.Holding{}, err
		}
	}
	all, err := c.await(ctx, "undecided", undecided)
	return stranded.Of(c.pools, all), err
}

// empty deletes all pods but the nodes' daemons, and waits until Berth knows.
func (c *cluster) empty(ctx context.Context) error {
	for begin := time.Now(); ; {
		err := c.box.Client.CoreV1().Pods(metav1.NamespaceDefault).DeleteCollection(ctx,
			metav1.DeleteOptions{GracePeriodSeconds: new(int64)}, metav1.ListOptions{})
		if err == nil {
			break
		}
		// An API server that has too little of the machine breaks off on the way.
		if ctx.Err() != nil || time.Since(begin) > stallTimeout {
			return err
		}
	}
	if _, err := c.await(ctx, "not yet deleted", func(*corev1.Pod) bool { return true }); err != nil {
		return err
	}
	for c.box.Berth != nil {
		samples, err := c.box.Berth.Metrics(ctx)
		if err != nil || samples.Sum("berth_accelerator_devices", `state="used"`) == 0 {
			return err
		}
		if err := pause(ctx); err != nil {
			return err
		}
	}
	return nil
}

// checkShortlist is an error if Berth has shortened no answer though it should.
func (c *cluster) checkShortlist(ctx context.Context) error {
	if c.way.shortlist == 0 {
		return nil
	}
	samples, err := c.box.Berth.Metrics(ctx)
	if err != nil {
		return err
	}
	if samples.Sum("berth_shortlist_total", `outcome="short"`) == 0 {
		return fmt.Errorf("%s: no answer was shortened", c.way.title)
	}
	return nil
}

// undecided tells whether kube-scheduler has not tried the pod yet.
func undecided(pod *corev1.Pod) bool {
	if pod.Spec.NodeName != "" {
		return false
	}
	for _, condition := range pod.Status.Conditions {
		if condition.Type == corev1.PodScheduled && condition.Status == corev1.ConditionFalse {
			return false
		}
	}
	return true
}

// await polls until none of the pods is such, and returns all of them.
func (c *cluster) await(
	ctx context.Context, such string, is func(*corev1.Pod) bool,
) ([]corev1.Pod, error) {
	last, since := -1, time.Now()
	for {
		// An API server that has too little of the machine breaks off a long answer now and then.
		pods, err := c.box.Client.CoreV1().Pods(metav1.NamespaceDefault).
			List(ctx, metav1.ListOptions{})
		if err == nil {
			left := count(pods.Items, is)
			if left == 0 {
				return pods.Items, nil
			}
			if left != last {
				last, since = left, time.Now()
			}
		}
		if time.Since(since) > stallTimeout {
			return nil, errors.Join(err, fmt.Errorf("%d pods %s, and none less for %s", last, such,
				stallTimeout))
		}
		if err := pause(ctx); err != nil {
			return nil, err
		}
	}
}

func count(pods []corev1.Pod, is func(*corev1.Pod) bool) int {
	n := 0
	for i := range pods {
		if is(&pods[i]) {
			n++
		}
	}
	return n
}

func pause(ctx context.Context) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(pollInterval):
		return nil
	}
}
