package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"berth.dev/berth/tests/e2e/box"
	"berth.dev/berth/tests/e2e/churn"
	"berth.dev/berth/tests/e2e/fleet"
)

const (
	seed          = 1
	podInterval   = 100 * time.Millisecond
	faultInterval = time.Second
	removedAfter  = "5s"
	batch         = 1000 // pods that are made at a time
)

var (
	lives  = churn.Span{Least: 10 * time.Second, Most: time.Minute}
	faults = churn.Span{Least: 5 * time.Second, Most: time.Minute}
)

// sample is how Berth did in the interval before it was taken.
type sample struct {
	Seconds float64 `json:"seconds"` // since the start of the churn
	box.Usage
	FilterCalls           float64 `json:"filterCalls"`
	FilterP50Milliseconds float64 `json:"filterP50Milliseconds"`
	FilterP99Milliseconds float64 `json:"filterP99Milliseconds"`
	Pods                  int     `json:"pods"`   // that run
	Faults                int     `json:"faults"` // begun so far
}

// soak keeps pods and faults coming and going, and takes samples, until the time is over.
func soak(ctx context.Context, o options, out io.Writer) ([]sample, error) {
	b, err := box.Start(ctx, box.Options{Berth: &box.BerthOptions{},
		Stages: fleet.Stages + "\n---\n" + churn.Stages, Progress: out})
	if err != nil {
		return nil, err
	}
	defer b.Stop()
	if err := fleet.CreateNodes(ctx, b.Client, fleet.Reference()); err != nil {
		return nil, fmt.Errorf("create nodes: %w", err)
	}
	ctx, cancel := context.WithTimeout(ctx, o.length)
	defer cancel()
	storm := churn.StartStorm(ctx, b.Client, churn.Weather{Nodes: acceleratorNodes(),
		Every: faultInterval, Lasts: faults, Seed: seed})
	failed := make(chan error, 1)
	go func() {
		defer cancel() // without pods there is nothing to watch
		failed <- createForEver(ctx, b)
	}()
	samples, err := takeSamples(ctx, o, b, storm, out)
	if err == nil {
		err = <-failed
	}
	if err != nil {
		b.KeepLogs(os.Stderr)
	}
	return samples, err
}

func acceleratorNodes() []string {
	var names []string
	for _, pool := range fleet.Reference() {
		for index := range pool.Nodes {
			if pool.Accelerator != "" {
				names = append(names, pool.NodeName(index))
			}
		}
	}
	return names
}

// createForEver makes pods until ctx ends, which is no error.
func createForEver(ctx context.Context, b *box.Box) error {
	for round := uint64(0); ctx.Err() == nil; round++ {
		pods := fleet.Workload(seed+round, batch)
		churn.Limit(pods, seed+round, lives)
		for _, pod := range pods {
			pod.Name = fmt.Sprintf("%s-%d", pod.Name, round)
			pod.Annotations[churn.AnnotationRemovedAfter] = removedAfter
		}
		err := churn.Create(ctx, b.Client, pods, podInterval, nil)
		if err != nil && ctx.Err() == nil {
			return fmt.Errorf("create pods: %w", err)
		}
	}
	return nil
}

func takeSamples(
	ctx context.Context, o options, b *box.Box, storm *churn.Storm, out io.Writer,
) ([]sample, error) {
	var samples []sample
	var before box.Histogram
	begin := time.Now()
	ticker := time.NewTicker(o.every)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return samples, nil
		case <-ticker.C:
		}
		s, filters, err := take(ctx, b, before)
		if ctx.Err() != nil {
			return samples, nil
		}
		if err != nil {
			return samples, fmt.Errorf("sample %d: %w", len(samples)+1, err)
		}
		s.Seconds, s.Faults, before = time.Since(begin).Seconds(), storm.Begun(), filters
		samples = append(samples, s)
		fmt.Fprintf(out, "%5.0f s: %5.1f MiB, %d threads, %d files, %5.1f s CPU; "+
			"%4.0f filters, p50 %.2f ms, p99 %.2f ms; %d pods, %d faults\n", s.Seconds, s.ResidentMiB(),
			s.Threads, s.Files, s.CPUSeconds, s.FilterCalls, s.FilterP50Milliseconds,
			s.FilterP99Milliseconds, s.Pods, s.Faults)
	}
}

// busy is an error if far fewer pods were scheduled than the soak was to create: a machine that is
// too slow for the load shows flat memory for nothing.
func busy(samples []sample, length time.Duration) error {
	filtered := 0.0
	for _, s := range samples {
		filtered += s.FilterCalls
	}
	if least := 0.5 * float64(length/podInterval); filtered < least {
		return fmt.Errorf("only %.0f pods were scheduled, %.0f at least were to be: "+
			"run it where nothing else does", filtered, least)
	}
	return nil
}

// take reads everything about Berth now; before is its histogram at the last sample.
func take(
	ctx context.Context, b *box.Box, before box.Histogram,
) (sample, box.Histogram, error) {
	use, err := b.Berth.Usage()
	if err != nil {
		return sample{}, nil, err
	}
	metrics, err := b.Berth.Metrics(ctx)
	if err != nil {
		return sample{}, nil, err
	}
	running, err := b.Client.CoreV1().Pods(metav1.NamespaceDefault).List(ctx, metav1.ListOptions{
		FieldSelector: "status.phase=" + string(corev1.PodRunning)})
	if err != nil {
		return sample{}, nil, err
	}
	now := metrics.Histogram("berth_extender_duration_seconds", `verb="filter"`)
	came := now.Since(before)
	return sample{
		Usage:                 use,
		FilterCalls:           came.Count(),
		FilterP50Milliseconds: 1000 * came.Quantile(0.5),
		FilterP99Milliseconds: 1000 * came.Quantile(0.99),
		Pods:                  len(running.Items),
	}, now, nil
}
