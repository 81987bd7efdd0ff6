// Hostile measures what attackers cost those who ask Berth in earnest: one client asks filter about
// all nodes, then about a few, while nobody else is there and while a crowd holds connections,
// drips bytes, sends too much or no TLS at all, and while every node is replaced by another. Quiet
// and attacked blocks take turns, every other pair in the opposite order, so that a machine that
// slows down slows both. Exits with 1 where an honest request fails, or where more is lost than may
// be.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"runtime"
	"syscall"
	"time"
)

// options are what is measured, and how often.
type options struct {
	nodes  int
	few    int
	pairs  int
	length time.Duration
	only   string

	replacing time.Duration // length of a block in which all nodes are replaced
}

func main() {
	var o options
	flag.IntVar(&o.nodes, "nodes", 7498, "nodes in the cluster")
	flag.IntVar(&o.few, "few", 8, "names in a small request")
	flag.IntVar(&o.pairs, "pairs", 9, "pairs of a quiet and an attacked block of every attack")
	flag.DurationVar(&o.length, "length", 1500*time.Millisecond, "of a block, for each request")
	flag.DurationVar(&o.replacing, "replacing", 10*time.Second,
		"of a block in which all nodes are replaced, for each request")
	flag.StringVar(&o.only, "only", "", "part of an attack's name; empty: all attacks")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM,
		syscall.SIGHUP)
	err := run(ctx, o)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "hostile:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, o options) error {
	b, err := newBench(ctx, o)
	if err != nil {
		return err
	}
	defer b.Close()
	var results []*result
	var failures []error
	for _, a := range attacks {
		if !a.named(o.only) {
			continue
		}
		fmt.Fprintf(os.Stderr, "== %s\n", a.name)
		measured, err := b.measure(ctx, a)
		if err != nil {
			failures = append(failures, fmt.Errorf("%s: %w", a.name, err))
			continue
		}
		results = append(results, measured...)
	}
	if len(results) == 0 && len(failures) == 0 {
		return fmt.Errorf("-only: no attack's name has %q in it", o.only)
	}
	fmt.Printf("%d nodes, %d pairs of blocks of %v, TLS 1.3, one client beside the attackers, %s, "+
		"%d CPUs\n", o.nodes, o.pairs, o.length, runtime.Version(), runtime.NumCPU())
	printTable(os.Stdout, results)
	return errors.Join(append(failures, verdict(results), b.report(ctx, os.Stdout))...)
}
