// Package packing fills a large cluster with pods of mixed sizes and counts the devices that are left
// free although pods that ask for such wait.
package packing

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"time"

	"berth.dev/berth/tests/bench/figures"
	"berth.dev/berth/tests/bench/placing"
)

// leastNodes have some of each pool.
const leastNodes = 50

// options are what is measured.
type options struct {
	nodes    int
	rate     float64
	rounds   int
	quiet    time.Duration // without a binding, once all pods were tried
	patience time.Duration // for all of that
	seed     uint64
	ways     []placing.Way
	files    figures.Files
}

// Main measures what the arguments say.
func Main(ctx context.Context, arguments []string) error {
	o, err := parse(arguments)
	if err != nil {
		return err
	}
	return run(ctx, o, os.Stdout, os.Stderr)
}

func parse(arguments []string) (options, error) {
	var o options
	flags := flag.NewFlagSet("packing", flag.ExitOnError)
	flags.IntVar(&o.nodes, "nodes", 7498, "nodes of the cluster")
	flags.Float64Var(&o.rate, "rate", 200, "pods created a second, until they ask for as many devices "+
		"as there are")
	flags.IntVar(&o.rounds, "rounds", 1, "rounds; in each every way has the same pods")
	flags.DurationVar(&o.quiet, "quiet", 20*time.Second, "how long no pod may get a node for the count, "+
		"once all were tried")
	flags.DurationVar(&o.patience, "patience", 20*time.Minute, "how long a run may take")
	flags.Uint64Var(&o.seed, "seed", 1, "decides the pods")
	ways := flags.String("ways", "berth-every-node,berth", "ways to compare: "+placing.WayNames())
	o.files.AddJSONFlag(flags, "packing")
	if err := flags.Parse(arguments); err != nil {
		return o, err
	}
	return o, o.choose(*ways)
}

// choose reads what the user wants to measure.
func (o *options) choose(ways string) error {
	if o.nodes < leastNodes || o.rate <= 0 || o.rounds < 1 || o.quiet < time.Second ||
		o.patience <= o.quiet {
		return fmt.Errorf("-nodes must be %d or more, -rate above 0, -rounds 1 or more, -quiet 1s or "+
			"more, -patience more than that", leastNodes)
	}
	var err error
	o.ways, err = placing.ParseWays(ways)
	return err
}

// run measures all ways, and writes what it has after each.
func run(ctx context.Context, o options, out, progress io.Writer) error {
	b, err := start(ctx, o, progress)
	if err != nil {
		return err
	}
	defer b.cluster.Stop()
	r, err := newReport(ctx, o)
	if err != nil {
		return err
	}
	turns := figures.Turns[outcome]{Rounds: o.rounds, Box: b.cluster.Box, Progress: progress,
		Measure: func(ctx context.Context, round, i int) (outcome, error) {
			return b.measure(ctx, o.ways[i], o.seed+uint64(round))
		},
		Keep: func(i int, measured outcome) error {
			r.Ways[i].Runs = append(r.Ways[i].Runs, measured)
			return o.files.WriteJSON(r)
		}}
	for _, w := range o.ways {
		turns.Names = append(turns.Names, w.Name)
	}
	if err := turns.Take(ctx); err != nil {
		return err
	}
	return r.print(out)
}
