// Webhook measures what admission costs: how many pods a second kube-apiserver creates with Berth's
// webhooks, with a webhook in Go that does nothing, and without any. The three take turns, in short
// blocks and every other round in the opposite order, so that a machine that slows down slows all.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"runtime"
	"syscall"

	"berth.dev/berth/tests/e2e/box"
)

type options struct {
	rounds  int
	pods    int
	workers int
	parts   bool
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	var o options
	flag.IntVar(&o.rounds, "rounds", 40, "rounds; each has a block of every kind")
	flag.IntVar(&o.pods, "pods", 200, "pods in a block")
	flag.IntVar(&o.workers, "workers", 8, "pods that are being created at a time")
	flag.BoolVar(&o.parts, "parts", false, "also with a part of Berth's webhooks, to find what costs")
	flag.Parse()
	if err := run(ctx, o); err != nil {
		fmt.Fprintln(os.Stderr, "webhook:", err)
		stop()
		os.Exit(1)
	}
}

func run(ctx context.Context, o options) error {
	cluster, err := box.Start(ctx, box.Options{Progress: os.Stderr})
	if err != nil {
		return err
	}
	defer cluster.Stop()
	bench := &bench{box: cluster, options: o}
	defer bench.stop()
	if err := bench.prepare(ctx); err != nil {
		return err
	}
	fmt.Printf("%d rounds of %d pods each, %d at a time, %s, %d CPUs for all\n", o.rounds, o.pods,
		o.workers, runtime.Version(), runtime.NumCPU())
	for _, work := range bench.works {
		if err := bench.measure(ctx, work); err != nil {
			return err
		}
		fmt.Printf("\n%s\n", work.name)
		report(os.Stdout, bench.ways)
	}
	return nil
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
		for i := range b.ways {
			if round%2 == 1 {
				i = len(b.ways) - 1 - i
			}
			if err := b.block(ctx, w, b.ways[i]); err != nil {
				return fmt.Errorf("%s: %w", b.ways[i].name, err)
			}
		}
		if (round+1)%10 == 0 {
			fmt.Fprintf(os.Stderr, "%s: round %d of %d\n", w.name, round+1, b.rounds)
		}
	}
	return nil
}
