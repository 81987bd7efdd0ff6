// Package faults has programs fail while kube-scheduler places a burst of pods, and tells whether a
// pod got a broken node, was lost, or got a place that another has.
package faults

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
	"berth.dev/berth/tests/e2e/fleet"
)

// leastNodes have some of each pool, and some without a fault.
const leastNodes = 50

// options are what is measured.
type options struct {
	nodes    int
	pods     int
	away     time.Duration // how long kube-apiserver is away
	after    float64       // share of the pods that have a node when the fault comes
	rounds   int
	patience time.Duration // for all pods to have a node
	seed     uint64
	faults   []fault
	way      placing.Way
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
	flags := flag.NewFlagSet("faults", flag.ExitOnError)
	flags.IntVar(&o.nodes, "nodes", 280, "nodes of the cluster: few enough for the pods to fill most of "+
		"them")
	flags.IntVar(&o.pods, "pods", 900, "pods of one device each, all created at once")
	flags.DurationVar(&o.away, "away", 30*time.Second, "how long kube-apiserver is away")
	flags.Float64Var(&o.after, "after", 0.3, "share of the pods that have a node when the fault comes")
	flags.IntVar(&o.rounds, "rounds", 1, "rounds; in each every fault comes once")
	flags.DurationVar(&o.patience, "patience", 4*time.Minute, "how long pods may take to get a node")
	flags.Uint64Var(&o.seed, "seed", 1, "decides pods, and which nodes break")
	names := flags.String("faults", faultNames(), "what fails: "+faultNames())
	way := flags.String("way", "berth", "who places the pods: one of "+placing.WayNames())
	o.files.AddJSONFlag(flags, "faults")
	if err := flags.Parse(arguments); err != nil {
		return o, err
	}
	return o, o.choose(*names, *way)
}

// choose reads what the user wants to measure.
func (o *options) choose(names, way string) error {
	if o.nodes < leastNodes || o.pods < 2 || o.rounds < 1 || o.patience <= o.away ||
		o.after < 0 || o.after >= 1 {
		return fmt.Errorf("-nodes must be %d or more, -pods 2 or more, -rounds 1 or more, -patience more "+
			"than -away, -after 0 or more and below 1", leastNodes)
	}
	if room := int(mostUsed * float64(devicesOf(fleet.Scaled(o.nodes)))); o.pods > room {
		return fmt.Errorf("-pods must be %d at most, so that who has no node has been lost: write fewer, "+
			"or more -nodes", room)
	}
	for name := range strings.SplitSeq(names, ",") {
		at := slices.IndexFunc(allFaults, func(f fault) bool { return f.name == strings.TrimSpace(name) })
		if at < 0 {
			return fmt.Errorf("-faults: %q is none; write some of %s", name, faultNames())
		}
		o.faults = append(o.faults, allFaults[at])
	}
	ways, err := placing.ParseWays(way)
	if err != nil {
		return err
	}
	if o.way = ways[0]; len(ways) > 1 {
		return fmt.Errorf("-way: %q is more than one; write one, such as berth", way)
	}
	for _, f := range o.faults {
		if f.ofControllers && !o.way.HasController() {
			return fmt.Errorf("-faults: %s has no controller that %s could happen to; write others, such "+
				"as -faults none,api-away,scheduler-restarted", way, f.name)
		}
	}
	return nil
}

// run measures all faults, and writes what it has after each.
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
			return b.measure(ctx, o.faults[i], o.seed+uint64(round))
		},
		Keep: func(i int, measured outcome) error {
			r.Faults[i].Runs = append(r.Faults[i].Runs, measured)
			return o.files.WriteJSON(r)
		}}
	for _, f := range o.faults {
		turns.Names = append(turns.Names, f.name)
	}
	if err := turns.Take(ctx); err != nil {
		return err
	}
	return r.print(out)
}
