// Command demo plays the same seeded scenario on two fresh clusters: with kube-scheduler alone, and
// with kube-scheduler asking Berth. Pods arrive while nodes break and are repaired; a table shows
// what became of them. It exits with 1 if Berth let a pod onto a broken node, or a Job without limits
// onto a second one.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"

	"berth.dev/berth/tests/e2e/box"
	"berth.dev/berth/tests/e2e/judge"
)

const evidenceLines = 5

type options struct {
	seed  uint64
	pods  int
	keep  bool
	alone bool
}

func main() {
	var o options
	flag.Uint64Var(&o.seed, "seed", 1, "decides pods and faults; the same seed, the same scenario")
	flag.IntVar(&o.pods, "pods", 320, "pods that arrive")
	flag.BoolVar(&o.keep, "keep", false, "leave the cluster with Berth running until Ctrl-C")
	flag.BoolVar(&o.alone, "alone", false, "only with kube-scheduler alone; needs no berth binary")
	flag.Parse()
	ctx, cancel := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM,
		syscall.SIGHUP)
	err := run(ctx, o, os.Stdout)
	cancel()
	if err != nil {
		fmt.Fprintln(os.Stderr, "demo:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, o options, out io.Writer) error {
	begin := time.Now()
	if err := printVersions(ctx, out, !o.alone); err != nil {
		return err
	}
	s := newScenario(o.seed, o.pods)
	fmt.Fprintf(out, "scenario %d: %d pods; %d nodes break, %d are repaired while pods arrive\n",
		o.seed, len(s.pods), len(s.faults), len(s.faults)-len(s.lateRepairs()))
	alone := &column{title: "kube-scheduler alone", scenario: s, out: out}
	defer alone.stop()
	first, err := playColumn(ctx, alone, nil)
	if err != nil || o.alone {
		return err
	}
	alone.stop() // two control planes at once would slow each other down
	berth := &column{title: "kube-scheduler with Berth", scenario: s, out: out}
	defer berth.stop()
	second, err := playColumn(ctx, berth, &box.BerthOptions{})
	if err != nil {
		return err
	}
	printTable(out, s.pools, []result{first, second})
	printWaiting(out, second.waiting)
	printBomb(out, second.bomb)
	fmt.Fprintf(out, "\nThe demo took %.0f s. With Berth:\n", time.Since(begin).Seconds())
	printBroken(out, second)
	if o.keep {
		keep(ctx, out, berth.box)
	}
	return verdict(second)
}

// playColumn brings up a cluster and plays the scenario; what went wrong comes with the logs.
func playColumn(ctx context.Context, c *column, berth *box.BerthOptions) (result, error) {
	if err := c.start(ctx, berth); err != nil {
		return result{}, c.failed(err)
	}
	r, err := c.play(ctx)
	if err != nil {
		return result{}, c.failed(err)
	}
	printBroken(c.out, r)
	printEvidence(c.out, r, evidenceLines)
	return r, nil
}

// failed keeps the logs, unless it was the user who ended the demo.
func (c *column) failed(err error) error {
	if c.box != nil && !errors.Is(err, context.Canceled) {
		c.box.KeepLogs(os.Stderr)
	}
	return fmt.Errorf("%s: %w", c.title, err)
}

func verdict(berth result) error {
	if n := len(berth.report.With(judge.Broken)); n > 0 {
		return fmt.Errorf("%d pods were placed on a broken node with Berth", n)
	}
	if n := len(berth.report.With(judge.Unclear)); n > 0 {
		return fmt.Errorf("the judge's watch had gaps: %d placements are unclear", n)
	}
	if n := berth.bomb.nodes; n != 1 {
		return fmt.Errorf("a Job without limits ran out of memory on %d nodes with Berth", n)
	}
	if n := berth.bomb.pods; n != 1 {
		return fmt.Errorf("a Job without limits ran out of memory in %d pods with Berth", n)
	}
	return nil
}

func keep(ctx context.Context, out io.Writer, cluster *box.Box) {
	fmt.Fprintf(out, "\nThe cluster with Berth runs on; Ctrl-C ends it. From the repository's root:\n"+
		"  export KUBECONFIG=%s\n"+
		"  .cache/bin/kubectl get nodes,pods -A\n"+
		"  build/release/cli/berth explain -f %s\n", cluster.Kubeconfig, manifestFile(cluster))
	<-ctx.Done()
}
