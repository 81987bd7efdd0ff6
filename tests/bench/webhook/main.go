// Webhook measures what admission costs: how many pods a second kube-apiserver creates with Berth's
// webhooks, with a webhook in Go that does nothing, and without any. The three take turns, in short
// blocks and every other round in the opposite order, so that a machine that slows down slows all.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"

	"berth.dev/berth/tests/bench/figures"
	"berth.dev/berth/tests/e2e/box"
)

type options struct {
	rounds  int
	pods    int
	workers int
	parts   bool
	files   figures.Files
}

func main() {
	var o options
	flag.IntVar(&o.rounds, "rounds", 40, "rounds; each has a block of every kind")
	flag.IntVar(&o.pods, "pods", 200, "pods in a block")
	flag.IntVar(&o.workers, "workers", 8, "pods that are being created at a time")
	flag.BoolVar(&o.parts, "parts", false, "also with a part of Berth's webhooks, to find what costs")
	o.files.AddFlags("webhook")
	flag.Parse()
	figures.Main("webhook", func(ctx context.Context) error {
		return run(ctx, o, os.Stdout, os.Stderr)
	})
}

// run measures all works and writes what it has after each.
func run(ctx context.Context, o options, out, progress io.Writer) error {
	machine, err := figures.ThisMachine(ctx)
	if err != nil {
		return err
	}
	cluster, err := box.Start(ctx, box.Options{Progress: progress})
	if err != nil {
		return err
	}
	defer cluster.Stop()
	bench := &bench{box: cluster, options: o, progress: progress}
	defer bench.stop()
	if err := bench.prepare(ctx); err != nil {
		return err
	}
	r := report{Machine: machine, Pods: o.pods, Workers: o.workers}
	for _, work := range bench.works {
		if err := bench.measure(ctx, work); err != nil {
			return err
		}
		r.Works = append(r.Works, newWorkReport(work.name, bench.ways))
		if err := o.files.Write(r, r.draw); err != nil {
			return err
		}
	}
	return r.print(out)
}

// measure has all ways do the work in turn.
func (b *bench) measure(ctx context.Context, w work) error {
	// The first block meets cold caches, whoever's it is.
	if err := b.block(ctx, w, b.ways[0]); err != nil {
		return err
	}
	for _, way := range b.ways {
		way.rates, way.costs = nil, nil
	}
	for round := range b.rounds {
		for _, i := range figures.Order(round, len(b.ways)) {
			if err := b.block(ctx, w, b.ways[i]); err != nil {
				return fmt.Errorf("%s: %w", b.ways[i].name, err)
			}
		}
		if (round+1)%10 == 0 {
			fmt.Fprintf(b.progress, "%s: round %d of %d\n", w.name, round+1, b.rounds)
		}
	}
	return nil
}
