// Scheduler measures how many pods a second kube-scheduler places: alone, with Berth, and with an
// extender in Go that only echoes. The ways take turns, every other round in the opposite order, so
// that a machine that slows down slows all; what is compared is of one round.
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

// options are what is measured, and how often.
type options struct {
	nodes int
	pods  int
	pairs int
	seed  uint64
	loads []load
	ways  []way // none: every load's own

	files         figures.Files
	profiles      string // folder; empty: none
	profileLength time.Duration
}

func main() {
	o := options{profileLength: 10 * time.Second}
	flag.IntVar(&o.nodes, "nodes", 7498, "nodes of the cluster")
	flag.IntVar(&o.pods, "pods", 2000, "pods of a run; a fifth of them where every node is looked at")
	flag.IntVar(&o.pairs, "pairs", 7, "rounds; in each every way places the same pods")
	flag.Uint64Var(&o.seed, "seed", 1, "decides pods and faults")
	loads := flag.String("loads", loadNames(), "single: pods of one device each, which name "+
		"models by annotations; mixed: of one to eight, whose node affinity names them too; spread: "+
		"these with a ScheduleAnyway spread constraint; -all: every node is looked at")
	ways := flag.String("ways", "", "ways to compare with the first of them: none, echo, berth, or "+
		"berth+KEY=VALUE with a key of Berth's configuration; +filter-only leaves prioritize out. "+
		"Default: echo,berth for pods with a spread constraint and none,berth for the others")
	o.files.AddFlags("scheduler")
	flag.StringVar(&o.profiles, "profile", "", "folder, from the repository's root, for a CPU "+
		"profile of kube-scheduler for every way, taken in a further run; default: none is taken")
	flag.Parse()
	figures.Main("scheduler", func(ctx context.Context) error {
		if err := o.choose(*loads, *ways); err != nil {
			return err
		}
		return run(ctx, o, os.Stdout, os.Stderr)
	})
}

// choose reads what the user wants to compare.
func (o *options) choose(loads, ways string) error {
	if o.nodes < leastNodes || o.pods < 2 || o.pairs < 1 {
		return fmt.Errorf("-nodes must be %d or more, -pods 2 or more, -pairs 1 or more", leastNodes)
	}
	var err error
	if o.loads, err = parseLoads(loads); err != nil || ways == "" {
		return err
	}
	o.ways, err = parseWays(ways)
	return err
}

// run measures all loads and writes what it has after each.
func run(ctx context.Context, o options, out, progress io.Writer) error {
	b, err := start(ctx, o, progress)
	if err != nil {
		return err
	}
	defer b.stop()
	r, err := newReport(ctx, o)
	if err != nil {
		return err
	}
	for _, l := range o.loads {
		measured, err := b.measure(ctx, l)
		if err != nil {
			return figures.Failed(ctx, b.cluster.Box, err)
		}
		r.Loads = append(r.Loads, measured)
		if err := o.files.Write(r, r.draw); err != nil {
			return err
		}
	}
	return r.print(out)
}
