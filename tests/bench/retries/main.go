// Retries measures how long new pods that fit wait for a node while pods that nothing fits wait
// beside them: kube-scheduler tries these again and again. Each block has a kube-scheduler of its
// own, which differ in how many nodes they look at and how long they back off, and in who waits.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"time"

	"berth.dev/berth/tests/bench/figures"
)

// leastNodes have some of each pool, and some without a fault.
const leastNodes = 50

// options are what is measured.
type options struct {
	nodes   int
	waiting int           // pods that nothing fits
	rate    int           // new pods a second
	settle  time.Duration // from the first refusals to the first new pod
	lasts   time.Duration // from the first new pod to the last
	last    time.Duration // from the last new pod to the end for those without a node
	rounds  int
	seed    uint64
	ways    []way
	files   figures.Files
}

func main() {
	var o options
	flag.IntVar(&o.nodes, "nodes", 7498, "nodes of the cluster")
	flag.IntVar(&o.waiting, "waiting", 1000, "pods that nothing fits")
	flag.IntVar(&o.rate, "rate", 10, "new pods a second, which do fit")
	flag.DurationVar(&o.settle, "settle", 2*time.Minute, "how long pods that Berth refuses have "+
		"been tried in vain when the first new pod comes")
	flag.DurationVar(&o.lasts, "for", 2*time.Minute, "how long new pods come")
	flag.DurationVar(&o.last, "last", time.Minute, "how long after the last new pod those without a "+
		"node still may get one")
	flag.IntVar(&o.rounds, "rounds", 1, "rounds; in each every way has the same pods")
	flag.Uint64Var(&o.seed, "seed", 1, "decides pods and faults")
	ways := flag.String("ways", wayNames(allWays), "ways to measure: shipped, or which nodes are "+
		"looked at; who waits; podMaxBackoffSeconds where the chart does not say it; also "+wayNames(otherWays))
	o.files.AddFlags("retries")
	flag.Parse()
	figures.Main("retries", func(ctx context.Context) error {
		if err := o.choose(*ways); err != nil {
			return err
		}
		return run(ctx, o, os.Stdout, os.Stderr)
	})
}

// choose reads what the user wants to measure.
func (o *options) choose(ways string) error {
	if o.nodes < leastNodes || o.waiting < 1 || o.rate < 1 || o.rounds < 1 ||
		min(o.lasts, o.last) < time.Second {
		return fmt.Errorf("-nodes must be %d or more, -waiting, -rate and -rounds 1 or more, -for and "+
			"-last 1s or more", leastNodes)
	}
	var err error
	o.ways, err = parseWays(ways)
	return err
}

// run measures all ways, and writes what it has after each block.
func run(ctx context.Context, o options, out, progress io.Writer) error {
	b, err := start(ctx, o, progress)
	if err != nil {
		return err
	}
	defer b.stop()
	r, err := newReport(ctx, b.options)
	if err != nil {
		return err
	}
	for round := range o.rounds {
		for _, i := range figures.Order(round, len(o.ways)) {
			measured, err := b.measure(ctx, o.ways[i], o.seed+uint64(round))
			if err != nil {
				return figures.Failed(ctx, b.cluster.Box, fmt.Errorf("%s: %w", o.ways[i].name, err))
			}
			r.Ways[i].Blocks = append(r.Ways[i].Blocks, measured)
			fmt.Fprintf(progress, "round %d of %d, %s: %s\n", round+1, o.rounds, o.ways[i].name, measured)
			if err := o.files.Write(r, r.draw); err != nil {
				return err
			}
		}
	}
	return r.print(out)
}
