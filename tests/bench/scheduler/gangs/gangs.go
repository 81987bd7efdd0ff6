// Package gangs measures how long a gang of many pods takes from the creation of its first pod to the
// binding of its last one, and how long as many single pods take that kube-scheduler places alone.
package gangs

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

// contender is a way to place the pods.
type contender struct {
	name     string
	title    string
	isGang   bool
	isNative bool // its pods wait for a PodGroup instead of behind gates
	way      placing.Way
}

const (
	alone  = "alone"
	gang   = "gang"
	native = "native"
)

// options are what is measured.
type options struct {
	nodes      int
	pods       int
	devices    int64 // of each pod
	rounds     int
	patience   time.Duration
	seed       uint64
	contenders []contender
	files      figures.Files
}

const (
	leastNodes = 50
	mostPods   = 4096 // of a gang
)

// ways are what placing calls the contenders.
var ways = map[string]string{
	alone:   "alone",
	"berth": "berth",
	gang:    planned,
	native:  planned + "+planner.gangs.podGroups=true",
}

const planned = "berth+planner.gangs.enabled=true+planner.topology=" +
	`[{"label":"` + fleet.LabelRack + `"}]`

var titles = map[string]string{
	alone:   "single pods, kube-scheduler alone",
	"berth": "single pods, with Berth as shipped",
	gang:    "one gang, with Berth",
	native:  "one gang, with Berth and a PodGroup",
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
	flags := flag.NewFlagSet("gangs", flag.ExitOnError)
	flags.IntVar(&o.nodes, "nodes", 7498, "nodes of the cluster")
	flags.IntVar(&o.pods, "pods", 512, "pods of the gang, and single pods")
	flags.Int64Var(&o.devices, "devices", 8, "devices of each pod, 1 to 8")
	flags.IntVar(&o.rounds, "rounds", 5, "rounds; in each every way places the same pods")
	flags.DurationVar(&o.patience, "patience", 3*time.Minute, "how long a run may take")
	flags.Uint64Var(&o.seed, "seed", 1, "decides which nodes are broken")
	names := flags.String("ways", "alone,gang", "ways to compare, each with the first one: alone "+
		"(kube-scheduler places single pods), berth (the same with Berth as shipped), gang (the planner "+
		"places one gang), native (the same with a PodGroup instead of gates; all ways are then on "+
		"Kubernetes 1.37)")
	o.files.AddJSONFlag(flags, "gangs")
	if err := flags.Parse(arguments); err != nil {
		return o, err
	}
	return o, o.choose(*names)
}

// choose reads what the user wants to measure.
func (o *options) choose(names string) error {
	if o.nodes < leastNodes || o.rounds < 1 || o.patience < time.Second {
		return fmt.Errorf("-nodes must be %d or more, -rounds 1 or more, -patience 1s or more", leastNodes)
	}
	room := poolOf(o.nodes).Nodes * 3 / 4 // a few are broken
	if o.devices < 1 || o.devices > poolOf(o.nodes).Devices || o.pods < 2 ||
		o.pods > min(mostPods, room*int(poolOf(o.nodes).Devices/o.devices)) {
		return fmt.Errorf("-devices must be 1 to %d, -pods 2 to %d and what three quarters of the nodes "+
			"with %s have room for", poolOf(o.nodes).Devices, mostPods, model)
	}
	for name := range strings.SplitSeq(names, ",") {
		text, known := ways[name]
		if !known {
			return fmt.Errorf("-ways: %q is no way; write some of alone, berth, gang, native", name)
		}
		parsed, err := placing.ParseWays(text)
		if err != nil {
			return err
		}
		o.contenders = append(o.contenders,
			contender{name: name, title: titles[name], isGang: name == gang || name == native,
				isNative: name == native, way: parsed[0]})
	}
	return nil
}

// isNative tells whether a way needs PodGroups.
func (o options) isNative() bool {
	return slices.ContainsFunc(o.contenders, func(c contender) bool { return c.isNative })
}

// programs are those that replace Kubernetes' own; see box.Options.
func (o options) programs() map[string]string {
	if o.isNative() {
		return podGroupPrograms
	}
	return nil
}

// run has all ways take turns, and writes what it has after each.
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
		Measure: func(ctx context.Context, _, i int) (outcome, error) {
			return b.measure(ctx, o.contenders[i])
		},
		Keep: func(i int, measured outcome) error {
			r.Ways[i].Runs = append(r.Ways[i].Runs, measured)
			return o.files.WriteJSON(r)
		}}
	for _, c := range o.contenders {
		turns.Names = append(turns.Names, c.name)
	}
	if err := turns.Take(ctx); err != nil {
		return err
	}
	return r.print(out)
}
