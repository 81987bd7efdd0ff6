// Scheduler measures how many pods a second kube-scheduler places: alone, and with Berth as its
// chart ships it. The programs run when the first pod is created, and the clock runs from there to
// the last binding. The ways take turns, every other round in the opposite order, so that a machine
// that slows down slows all; what is compared is of one round. Its scenarios faults, few, gangs,
// losses, packing and rivals measure something else.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"time"

	"berth.dev/berth/tests/bench/figures"
	"berth.dev/berth/tests/bench/placing"
	"berth.dev/berth/tests/bench/scheduler/faults"
	"berth.dev/berth/tests/bench/scheduler/few"
	"berth.dev/berth/tests/bench/scheduler/gangs"
	"berth.dev/berth/tests/bench/scheduler/losses"
	"berth.dev/berth/tests/bench/scheduler/packing"
	"berth.dev/berth/tests/bench/scheduler/rivals"
)

// leastNodes have some of each pool, and some without a fault.
const leastNodes = 50

// options are what is measured, and how often.
type options struct {
	nodes    []int // of each cluster
	pods     int
	burst    int     // pods of a load that comes at once
	rate     float64 // pods a second of the other loads
	rounds   int
	patience time.Duration // for all pods of a run to have a node
	seed     uint64
	loads    []load
	ways     []placing.Way

	files         figures.Files
	profiles      string // folder; empty: none
	profileLength time.Duration
}

// scenarios are measured in place of pods a second where the first argument names one.
var scenarios = map[string]func(ctx context.Context, arguments []string) error{
	"faults": faults.Main, "few": few.Main, "gangs": gangs.Main, "losses": losses.Main,
	"packing": packing.Main, "rivals": rivals.Main,
}

func main() {
	if len(os.Args) > 1 {
		if measure := scenarios[os.Args[1]]; measure != nil {
			figures.Main(os.Args[1], func(ctx context.Context) error {
				return measure(ctx, os.Args[2:])
			})
			return
		}
	}
	measurePlacing()
}

func measurePlacing() {
	o := options{profileLength: 10 * time.Second}
	nodes := flag.String("nodes", "7498", "nodes of the cluster; of several, such as 7498,15000, "+
		"each has every way")
	flag.IntVar(&o.pods, "pods", 1000, "pods of a run")
	flag.IntVar(&o.burst, "burst-pods", 500, "pods of a run of the load burst")
	flag.Float64Var(&o.rate, "rate", 400, "pods created a second")
	flag.IntVar(&o.rounds, "rounds", 7, "rounds; in each every way places the same pods")
	flag.DurationVar(&o.patience, "patience", 5*time.Minute, "how long a run may take")
	flag.Uint64Var(&o.seed, "seed", 1, "decides pods and faults")
	loads := flag.String("loads", "single,mixed,burst", "single: pods of one device each, which name "+
		"models by annotations; mixed: of one to eight, with the node affinity that admission writes; "+
		"spread: these with a ScheduleAnyway spread constraint; burst: those of single, all at once")
	ways := flag.String("ways", "alone,alone-every-node,berth", "ways to compare, each with all before "+
		"it: "+placing.WayNames()+", or berth+KEY=VALUE with a key of Berth's configuration; "+
		"+filter-only leaves prioritize out")
	o.files.AddFlags("scheduler")
	flag.StringVar(&o.profiles, "profile", "", "folder, from the repository's root, for a CPU "+
		"profile of kube-scheduler for every way, taken in a further run; default: none is taken")
	flag.Parse()
	if flag.NArg() > 0 {
		fmt.Fprintf(os.Stderr, "scheduler: what is %q? Scenarios (faults, few, gangs, losses, packing, rivals) go before flags\n",
			flag.Arg(0))
		os.Exit(2)
	}
	figures.Main("scheduler", func(ctx context.Context) error {
		if err := o.choose(*nodes, *loads, *ways); err != nil {
			return err
		}
		return run(ctx, o, os.Stdout, os.Stderr)
	})
}

// choose reads what the user wants to compare.
func (o *options) choose(nodes, loads, ways string) error {
	if o.pods < 2 || o.burst < 2 || o.rounds < 1 || o.rate <= 0 {
		return fmt.Errorf("-pods and -burst-pods must be 2 or more, -rounds 1 or more, -rate above 0")
	}
	var err error
	if o.nodes, err = parseNodes(nodes); err != nil {
		return err
	}
	if o.loads, err = parseLoads(loads); err != nil {
		return err
	}
	o.ways, err = placing.ParseWays(ways)
	return err
}

// parseNodes reads numbers that commas separate.
func parseNodes(text string) ([]int, error) {
	var all []int
	for each := range strings.SplitSeq(text, ",") {
		nodes, err := strconv.Atoi(strings.TrimSpace(each))
		if err != nil || nodes < leastNodes {
			return nil, fmt.Errorf("-nodes: %q; write numbers of %d or more, such as 7498,15000", each,
				leastNodes)
		}
		all = append(all, nodes)
	}
	return all, nil
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
			return b.failed(ctx, err)
		}
		r.Loads = append(r.Loads, measured)
		if err := o.files.Write(r, r.draw); err != nil {
			return err
		}
	}
	return r.print(out)
}
