// Package losses measures how much device time faults of nodes cost: what pods hold without work
// that lasts. The pods have work to do and checkpoints; a trace that the seed decides breaks their
// nodes.
package losses

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"berth.dev/berth/tests/bench/figures"
	"berth.dev/berth/tests/bench/placing"
	"berth.dev/berth/tests/e2e/churn"
	"berth.dev/berth/tests/e2e/fleet"
)

// options are what is measured.
type options struct {
	nodes      int
	length     time.Duration // of a turn
	every      time.Duration // a node breaks, in the mean
	least      time.Duration // for which a fault lasts
	most       time.Duration
	detection  time.Duration // from a fault to its condition
	checkpoint time.Duration // of work between two checkpoints
	rounds     int
	seed       uint64
	ways       []way
	files      figures.Files
}

// way is a way to place pods.
type way struct {
	name, title string
	way         placing.Way
}

const leastNodes = 50

// The ways of which one is to lose much less than the other.
const (
	wayAlone = "alone"
	wayEvict = "berth-evict"
)

var allWays = []way{
	{wayAlone, "kube-scheduler alone", placed("alone")},
	{"berth", "Berth, as shipped", placed("berth")},
	{wayEvict, "Berth with controller.evict", placed("berth").Configured("controller.evict",
		evictions())},
}

// evictions are for all conditions that the trace has, and as soon as Berth allows it.
func evictions() []any {
	var all []any
	for _, condition := range churn.Excluding {
		all = append(all, map[string]any{"condition": condition, "after": "1m", "perMinute": 600,
			"maxShare": 0.5})
	}
	return all
}

// placed is one of placing's ways.
func placed(text string) placing.Way {
	ways, err := placing.ParseWays(text)
	if err != nil {
		panic(err)
	}
	return ways[0]
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
	flags := flag.NewFlagSet("losses", flag.ExitOnError)
	flags.IntVar(&o.nodes, "nodes", 280, "nodes of the cluster")
	flags.DurationVar(&o.length, "length", 6*time.Minute, "how long a turn takes")
	flags.DurationVar(&o.every, "every", 15*time.Second, "a node breaks, in the mean")
	flags.DurationVar(&o.least, "least", time.Minute, "how long a fault lasts at least")
	flags.DurationVar(&o.most, "most", 3*time.Minute, "how long it lasts at most")
	flags.DurationVar(&o.detection, "detection", 2*time.Second, "from a fault to its condition")
	flags.DurationVar(&o.checkpoint, "checkpoint", 20*time.Second, "of work between two checkpoints")
	flags.IntVar(&o.rounds, "rounds", 1, "rounds; each has a trace and work of its own, which are the "+
		"same for all ways")
	flags.Uint64Var(&o.seed, "seed", 1, "decides faults and work")
	names := flags.String("ways", wayNames(), "ways to compare, each with the first one")
	o.files.AddJSONFlag(flags, "losses")
	if err := flags.Parse(arguments); err != nil {
		return o, err
	}
	return o, o.choose(*names)
}

func wayNames() string {
	var names []string
	for _, w := range allWays {
		names = append(names, w.name)
	}
	return strings.Join(names, ",")
}

// choose reads what the user wants to compare.
func (o *options) choose(names string) error {
	if o.nodes < leastNodes || o.rounds < 1 {
		return fmt.Errorf("-nodes must be %d or more, -rounds 1 or more", leastNodes)
	}
	if min(o.length, o.every, o.least, o.checkpoint) < time.Second || o.detection < 0 {
		return fmt.Errorf("-length, -every, -least and -checkpoint must be 1s or more, -detection 0s or " +
			"more")
	}
	if o.most < o.least || o.detection >= o.least {
		return fmt.Errorf("-most must not be below -least, and -detection must be below it")
	}
	for name := range strings.SplitSeq(names, ",") {
		at := slices.IndexFunc(allWays, func(w way) bool { return w.name == name })
		if at < 0 {
			return fmt.Errorf("-ways: %q is no way; write some of %s", name, wayNames())
		}
		o.ways = append(o.ways, allWays[at])
	}
	return nil
}

// run measures all ways, and writes what it has after each turn. It is an error if the target is missed.
func run(ctx context.Context, o options, out, progress io.Writer) error {
	cluster, err := placing.Start(ctx, placing.Options{Nodes: o.nodes, Seed: o.seed, NoFaults: true,
		Progress: progress})
	if err != nil {
		return err
	}
	defer cluster.Stop()
	cluster.Box.Berth.Stop()
	r, err := newReport(ctx, o)
	if err != nil {
		return err
	}
	turns := figures.Turns[outcome]{Rounds: o.rounds, Box: cluster.Box, Progress: progress,
		Measure: func(ctx context.Context, round, i int) (outcome, error) {
			return measure(ctx, o, cluster, o.ways[i].way, o.seed+uint64(round))
		},
		Keep: func(i int, measured outcome) error {
			r.Ways[i].Runs = append(r.Ways[i].Runs, measured)
			return o.files.WriteJSON(r)
		}}
	for _, w := range o.ways {
		turns.Names = append(turns.Names, w.name)
	}
	if err := turns.Take(ctx); err != nil {
		return err
	}
	if err := r.print(out); err != nil {
		return err
	}
	return r.missed()
}

// poolOf are the nodes that break and do the work, in a cluster of so many.
func poolOf(nodes int) fleet.Pool { return fleet.Scaled(nodes)[0] }
