// Package rivals compares ways to have the pods of a gang start all together: kube-scheduler, which
// knows of no gangs, Berth, the coscheduling plugin of scheduler-plugins, and Kueue. All are on the
// same version of Kubernetes. There are two scenes: one gang in a large cluster, and gangs of which
// two fit at once in a small one.
package rivals

import (
	"context"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"berth.dev/berth/tests/bench/figures"
	"berth.dev/berth/tests/e2e/fleet"
)

// minor is the version of Kubernetes. The libraries of scheduler-plugins are of the one before.
const minor = "1.34"

// programs replace those of Kubernetes' other version.
var programs = map[string]string{
	"kube-apiserver": "kube-apiserver-" + minor, "kube-scheduler": "kube-scheduler-" + minor}

// options are what is measured.
type options struct {
	scenes       []string
	nodes        int // of the cluster with one gang
	pods         int // of this gang
	devices      int64
	contestNodes int
	gangs        int           // in the small cluster
	length       time.Duration // for which a gang runs there
	patience     time.Duration
	rounds       int
	seed         uint64
	contenders   []contender
	files        figures.Files
}

const (
	leastNodes = 50
	mostPods   = 4096
)

// Main measures what the arguments say.
func Main(ctx context.Context, arguments []string) error {
	o, err := parse(arguments)
	if err != nil {
		return err
	}
	return run(ctx, o, os.Stdout, os.Stderr)
}

func parse(arguments []string) (options, error) {
	o := options{devices: 8}
	flags := flag.NewFlagSet("rivals", flag.ExitOnError)
	scenes := flags.String("scenes", "one,contest", "one: a gang in a large cluster; contest: gangs of "+
		"which two fit at once in a small one")
	flags.IntVar(&o.nodes, "nodes", 7498, "nodes of the cluster with one gang")
	flags.IntVar(&o.pods, "pods", 512, "pods of this gang, of 8 devices each")
	flags.IntVar(&o.contestNodes, "contest-nodes", 280, "nodes of the cluster with several gangs")
	flags.IntVar(&o.gangs, "gangs", 6, "how many gangs are created there at the same time")
	flags.DurationVar(&o.length, "length", 10*time.Second, "how long a gang runs there, once it is whole")
	flags.DurationVar(&o.patience, "patience", 2*time.Minute, "how long a turn may take")
	flags.IntVar(&o.rounds, "rounds", 3, "rounds of each scene; in each every way has the same pods")
	flags.Uint64Var(&o.seed, "seed", 1, "decides which nodes are broken, and in which order pods come")
	names := flags.String("ways", wayNames(), "ways to compare, each with the first one")
	o.files.AddJSONFlag(flags, "rivals")
	if err := flags.Parse(arguments); err != nil {
		return o, err
	}
	return o, o.choose(*scenes, *names)
}

// choose reads what the user wants to measure.
func (o *options) choose(scenes, names string) error {
	if min(o.nodes, o.contestNodes) < leastNodes || o.rounds < 1 || o.gangs < 3 ||
		o.length < time.Second || o.patience <= o.length {
		return fmt.Errorf("-nodes and -contest-nodes must be %d or more, -rounds 1 or more, -gangs 3 or "+
			"more, -length 1s or more, -patience more than that", leastNodes)
	}
	// A few nodes are broken.
	if room := poolOf(o.nodes).Nodes * 3 / 4; o.pods < 2 || o.pods > min(mostPods, room) {
		return fmt.Errorf("-pods must be 2 to %d and to three quarters of the nodes with %s", mostPods,
			model)
	}
	for name := range strings.SplitSeq(scenes, ",") {
		if _, known := allScenes[name]; !known {
			return fmt.Errorf("-scenes: %q is none; write some of %s", name,
				strings.Join(slices.Sorted(maps.Keys(allScenes)), ", "))
		}
		o.scenes = append(o.scenes, name)
	}
	for name := range strings.SplitSeq(names, ",") {
		at := slices.IndexFunc(contenders, func(c contender) bool { return c.name == name })
		if at < 0 {
			return fmt.Errorf("-ways: %q is no way; write some of %s", name, wayNames())
		}
		o.contenders = append(o.contenders, contenders[at])
	}
	return nil
}

// run plays all scenes, and writes what it has after each turn.
func run(ctx context.Context, o options, out, progress io.Writer) error {
	r, err := newReport(ctx, o)
	if err != nil {
		return err
	}
	for i, name := range o.scenes {
		keep := func(way int, measured outcome) error {
			ways := r.Scenes[i].Ways
			ways[way].Runs = append(ways[way].Runs, measured)
			return o.files.WriteJSON(r)
		}
		if err := play(ctx, o, allScenes[name], keep, progress); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return r.print(out)
}

// play has the ways take turns in a cluster of the scene's.
func play(
	ctx context.Context, o options, s scene, keep func(way int, measured outcome) error,
	progress io.Writer,
) error {
	b, err := start(ctx, o, s, progress)
	if err != nil {
		return err
	}
	defer b.cluster.Stop()
	turns := figures.Turns[outcome]{Rounds: o.rounds, Box: b.cluster.Box, Progress: progress, Keep: keep,
		Measure: func(ctx context.Context, round, index int) (outcome, error) {
			return b.measure(ctx, o.contenders[index], round)
		}}
	for _, c := range o.contenders {
		turns.Names = append(turns.Names, c.name)
	}
	return turns.Take(ctx)
}

// poolOf are the nodes that the pods may run on in a cluster of so many.
func poolOf(nodes int) fleet.Pool {
	pools := fleet.Scaled(nodes)
	return pools[slices.IndexFunc(pools, func(p fleet.Pool) bool { return p.Name == pool })]
}
