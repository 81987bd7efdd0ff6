// Hostile measures what attackers cost those who ask Berth in earnest: one client asks filter about
// all nodes, then about a few, while nobody else is there and while a crowd holds connections,
// drips bytes, sends too much or no TLS at all, and while every node is replaced by another. The
// crowd is a process of its own, of the least priority. Quiet and attacked blocks take turns, every
// other pair in the opposite order, so that a machine that slows down slows both. Exits with 1
// where an honest request fails, or where more is lost than may be.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"time"

	"berth.dev/berth/tests/bench/figures"
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
	if len(os.Args) > 1 && os.Args[1] == attackersCommand {
		figures.Main("hostile "+attackersCommand, func(ctx context.Context) error {
			return obey(ctx, os.Stdin, os.Stdout)
		})
		return
	}
	var o options
	flag.IntVar(&o.nodes, "nodes", 7498, "nodes in the cluster")
	flag.IntVar(&o.few, "few", 8, "names in a small request")
	flag.IntVar(&o.pairs, "pairs", 9, "pairs of a quiet and an attacked block of every attack")
	flag.DurationVar(&o.length, "length", 1500*time.Millisecond, "of a block, for each request")
	flag.DurationVar(&o.replacing, "replacing", 10*time.Second,
		"of a block in which all nodes are replaced, for each request")
	flag.StringVar(&o.only, "only", "", "part of an attack's name; empty: all attacks")
	flag.Parse()
	figures.Main("hostile", func(ctx context.Context) error {
		return run(ctx, o, os.Stdout, os.Stderr)
	})
}

func run(ctx context.Context, o options, out, progress io.Writer) error {
	chosen, err := attacksNamed(o.only)
	if err != nil {
		return err
	}
	machine, err := figures.ThisMachine(ctx)
	if err != nil {
		return err
	}
	b, err := newBench(ctx, o, progress)
	if err != nil {
		return err
	}
	defer b.Close()
	var results []*result
	var failures []error
	for _, a := range chosen {
		fmt.Fprintf(progress, "== %s\n", a.name)
		measured, err := b.measure(ctx, a)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			failures = append(failures, fmt.Errorf("%s: %w", a.name, err))
			continue
		}
		results = append(results, measured)
	}
	fmt.Fprintf(out, "%d nodes, %d pairs of blocks of %v; %s\n", o.nodes, o.pairs, o.length, machine)
	failures = append(failures, printTables(out, results), verdict(results), b.report(ctx, out))
	return errors.Join(failures...)
}
