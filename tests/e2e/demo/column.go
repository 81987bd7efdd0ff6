package main

import (
	"context"
	"fmt"
	"io"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	schedulerconfig "k8s.io/kube-scheduler/config/v1"

	"berth.dev/berth/tests/e2e/box"
	"berth.dev/berth/tests/e2e/fleet"
	"berth.dev/berth/tests/e2e/judge"
)

const (
	progressInterval = 3 * time.Second
	pollInterval     = 200 * time.Millisecond
	// Backoff of pods that found no node; kube-scheduler's default of 10 s would only stretch the demo.
	maxBackoffSeconds = 2
	settleTime        = 2 * maxBackoffSeconds * time.Second // every pod is tried once more in it
)

// column is the scenario played on a cluster of its own.
type column struct {
	title    string
	scenario scenario
	out      io.Writer // progress

	box   *box.Box
	judge *judge.Judge
	begin time.Time
}

// result is what a column of the table shows.
type result struct {
	title   string
	tally   tally
	report  judge.Report
	waiting waiting
	bomb    bomb
}

// start brings up a cluster of the scenario's nodes; with Berth if berth says how.
func (c *column) start(ctx context.Context, berth *box.BerthOptions) error {
	fmt.Fprintf(c.out, "\n== %s\n", c.title)
	var err error
	c.box, err = box.Start(ctx, box.Options{
		Berth: berth, Stages: fleet.Stages + "\n---\n" + fleet.Fates, Progress: c.out,
		Scheduler: configureScheduler,
	})
	if err != nil {
		return err
	}
	if berth != nil {
		if err := c.startAdmission(ctx); err != nil {
			return err
		}
	}
	begin := time.Now()
	if err := fleet.CreateNodes(ctx, c.box.Client, c.scenario.pools); err != nil {
		return fmt.Errorf("create nodes: %w", err)
	}
	if err := fleet.CreateDaemons(ctx, c.box.Client); err != nil {
		return fmt.Errorf("create the nodes' daemons: %w", err)
	}
	fmt.Fprintf(c.out, "%d nodes and their daemons in %.1f s\n",
		len(fleet.Nodes(c.scenario.pools, begin)), time.Since(begin).Seconds())
	c.judge, err = judge.Start(ctx, c.box.Client, judge.ExcludingRules(), box.ManagedResources,
		c.box.DecisionsAddress())
	return err
}

// startAdmission has kube-apiserver ask Berth, too.
func (c *column) startAdmission(ctx context.Context) error {
	admission, err := c.box.NewAdmission("berth-admission", nil)
	if err != nil {
		return err
	}
	if err := admission.Start(ctx); err != nil {
		return err
	}
	return c.box.RegisterAdmission(ctx,
		box.Registration{Name: "berth", Probe: metav1.NamespaceDefault}, admission)
}

// configureScheduler makes both columns look at every node: no controller plans here, and with samples
// a pod can stay pending because only broken nodes were in its sample.
func configureScheduler(config *schedulerconfig.KubeSchedulerConfiguration) {
	all, backoff := int32(100), int64(maxBackoffSeconds)
	config.PercentageOfNodesToScore = &all
	config.PodMaxBackoffSeconds = &backoff
}

// play runs the scenario and collects what came of it.
func (c *column) play(ctx context.Context) (result, error) {
	c.begin = time.Now()
	playing, cancel := context.WithCancel(ctx)
	defer cancel()
	go c.showProgress(playing)
	for _, step := range c.scenario.steps() {
		if err := sleepUntil(ctx, c.begin.Add(step.at)); err != nil {
			return result{}, err
		}
		if err := c.do(ctx, step); err != nil {
			return result{}, err
		}
	}
	if err := c.settle(ctx); err != nil {
		return result{}, err
	}
	waiting, err := c.playWaiting(ctx)
	if err != nil {
		return result{}, err
	}
	if err := c.settle(ctx); err != nil { // the last repairs may have let more pods in
		return result{}, err
	}
	bomb, err := c.playBomb(ctx)
	if err != nil {
		return result{}, err
	}
	printEnd(c.out, bomb)
	cancel()
	tally, err := count(ctx, c.box.Client, c.scenario.pools)
	return result{title: c.title, tally: tally, report: c.judge.Report(), waiting: waiting,
		bomb: bomb}, err
}

func (c *column) do(ctx context.Context, s step) error {
	if s.pod != nil {
		_, err := c.box.Client.CoreV1().Pods(s.pod.Namespace).
			Create(ctx, s.pod, metav1.CreateOptions{})
		return err
	}
	return c.set(ctx, *s.fault, !s.repair)
}

func (c *column) set(ctx context.Context, f fault, broken bool) error {
	if !f.byStage {
		return fleet.SetCondition(ctx, c.box.Client, f.node, f.condition, broken)
	}
	condition := ""
	if broken {
		condition = f.condition
	}
	return fleet.SetFaultStage(ctx, c.box.Client, f.node, condition)
}

// settle waits until every pod has a node, or until no further pod has got one for a while: those
// that found none are counted.
func (c *column) settle(ctx context.Context) error {
	last, since := -1, time.Now()
	for time.Since(since) < settleTime {
		pending, err := c.pending(ctx)
		if err != nil || pending == 0 {
			return err
		}
		if pending != last {
			last, since = pending, time.Now()
		}
		if err := sleepUntil(ctx, time.Now().Add(pollInterval)); err != nil {
			return err
		}
	}
	return nil
}

func (c *column) pending(ctx context.Context) (int, error) {
	pods, err := c.box.Client.CoreV1().Pods(metav1.NamespaceDefault).List(ctx, metav1.ListOptions{})
	if err != nil {
		return 0, err
	}
	return len(pods.Items) - placed(pods.Items), nil
}

func placed(pods []corev1.Pod) int {
	n := 0
	for i := range pods {
		if pods[i].Spec.NodeName != "" {
			n++
		}
	}
	return n
}

func (c *column) showProgress(ctx context.Context) {
	for sleepUntil(ctx, time.Now().Add(progressInterval)) == nil {
		pods, err := c.box.Client.CoreV1().Pods(metav1.NamespaceDefault).
			List(ctx, metav1.ListOptions{ResourceVersion: "0"})
		if err != nil {
			continue
		}
		nodes, err := c.box.Client.CoreV1().Nodes().List(ctx, metav1.ListOptions{ResourceVersion: "0"})
		if err != nil {
			continue
		}
		fmt.Fprintf(c.out, "%3.0f s: %d pods created, %d placed; %d nodes broken\n",
			time.Since(c.begin).Seconds(), len(pods.Items), placed(pods.Items), broken(nodes.Items))
	}
}

// broken counts the nodes that an excluding condition holds.
func broken(nodes []corev1.Node) int {
	excluding := map[string]bool{}
	for _, rule := range judge.ExcludingRules() {
		excluding[rule.Condition] = true
	}
	n := 0
	for _, node := range nodes {
		for _, condition := range node.Status.Conditions {
			if excluding[string(condition.Type)] && condition.Status == corev1.ConditionTrue {
				n++
				break
			}
		}
	}
	return n
}

func (c *column) stop() {
	if c.judge != nil {
		c.judge.Stop()
	}
	if c.box != nil {
		c.box.Stop()
	}
}

func sleepUntil(ctx context.Context, moment time.Time) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(time.Until(moment)):
		return nil
	}
}
