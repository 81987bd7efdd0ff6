// Package few measures how soon pods that only a few nodes of a large cluster fit get one of these,
// and whether anybody is evicted for them, while other pods come beside them.
package few

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
)

// options are what is measured.
type options struct {
	nodes    int
	fitting  int       // nodes that fit
	pods     int       // that only these fit
	rate     float64   // of these pods, a second
	others   []float64 // of other pods, a second, in each part
	rounds   int
	patience time.Duration // after the last creation
	seed     uint64
	ways     []placing.Way
	files    figures.Files
}

// leastNodes have more than enough of each pool.
const leastNodes = 500

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
	flags := flag.NewFlagSet("few", flag.ExitOnError)
	flags.IntVar(&o.nodes, "nodes", 7498, "nodes of the cluster")
	flags.IntVar(&o.fitting, "fitting", 20, "nodes that fit, one behind the other by name")
	flags.IntVar(&o.pods, "pods", 100, "pods that only these fit")
	flags.Float64Var(&o.rate, "rate", 5, "of these pods, created a second")
	others := flags.String("others", "45,115", "other pods created a second beside them, in each part: "+
		"the first is to be below half of what kube-scheduler bears, the last above")
	flags.IntVar(&o.rounds, "rounds", 1, "rounds; in each every way has all parts")
	flags.DurationVar(&o.patience, "patience", time.Minute, "how long after the last creation pods may "+
		"still get a node")
	flags.Uint64Var(&o.seed, "seed", 1, "decides pods, and which nodes fit")
	ways := flags.String("ways", "berth,berth-no-controller", "ways to measure, with Berth: "+
		placing.WayNames())
	o.files.AddJSONFlag(flags, "few")
	if err := flags.Parse(arguments); err != nil {
		return o, err
	}
	return o, o.choose(*others, *ways)
}

// choose reads what the user wants to measure.
func (o *options) choose(others, ways string) error {
	if o.nodes < leastNodes || o.fitting < 1 || o.fitting > poolOf(o.nodes).Nodes/2 {
		return fmt.Errorf("-nodes must be %d or more, -fitting 1 to half of the nodes with A30", leastNodes)
	}
	if room := o.fitting * int(poolOf(o.nodes).Devices); o.pods < 1 || o.pods > room {
		return fmt.Errorf("-pods must be 1 to %d, for which %d nodes have room", room, o.fitting)
	}
	if o.rate <= 0 || o.rounds < 1 || o.patience < time.Second {
		return fmt.Errorf("-rate must be above 0, -rounds 1 or more, -patience 1s or more")
	}
	for text := range strings.SplitSeq(others, ",") {
		rate, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
		if err != nil || rate < 0 {
			return fmt.Errorf("-others: %q is no rate; write numbers such as 45,115", text)
		}
		o.others = append(o.others, rate)
	}
	var err error
	o.ways, err = placing.ParseWays(ways)
	for _, w := range o.ways {
		if !w.AsksBerth() {
			return fmt.Errorf("-ways: %s heeds no annotation; write ways with Berth", w.Name)
		}
	}
	return err
}

// run measures all parts of all ways, and writes what it has after each.
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
			return b.measure(ctx, r.Parts[i].way, r.Parts[i].Others, o.seed+uint64(round))
		},
		Keep: func(i int, measured outcome) error {
			r.Parts[i].Runs = append(r.Parts[i].Runs, measured)
			return o.files.WriteJSON(r)
		}}
	for _, p := range r.Parts {
		turns.Names = append(turns.Names, fmt.Sprintf("%s, %g others/s", p.Way, p.Others))
	}
	if err := turns.Take(ctx); err != nil {
		return err
	}
	return r.print(out)
}
