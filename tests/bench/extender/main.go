// Extender measures what kube-scheduler waits for, and what Berth costs: how long it takes to
// answer filter and prioritize, asked without a pause and by a real kube-scheduler; how that and
// memory grow with the number of nodes; how soon Berth serves after its start; and how much later
// than the API server's own watch it refuses a broken node.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"berth.dev/berth/tests/bench/figures"
)

// leastNodes have some of each pool.
const leastNodes = 50

// options are what is measured, and how often.
type options struct {
	nodes    int
	rounds   int
	requests int
	batch    int
	changes  int
	starts   int
	pods     int
	sizes    []int
	parts    []part
	seed     uint64
	files    figures.Files
}

func main() {
	var o options
	flag.IntVar(&o.nodes, "nodes", 7498, "nodes of the cluster")
	flag.IntVar(&o.rounds, "rounds", 9, "rounds, of each series")
	flag.IntVar(&o.requests, "requests", 1000, "requests in a round")
	flag.IntVar(&o.batch, "batch", 200, "pods that kube-scheduler places in a round; half of them "+
		"where it looks at every node")
	flag.IntVar(&o.changes, "changes", 500, "nodes that break, one after the other")
	flag.IntVar(&o.starts, "starts", 5, "starts of Berth on a cluster")
	flag.IntVar(&o.pods, "pods", 200_000, "pods of the cluster whose memory is measured")
	flag.Uint64Var(&o.seed, "seed", 1, "decides pods and faults")
	sizes := flag.String("sizes", "1000,2000,5000,7498,15000,30000,65000",
		"numbers of nodes to ask about, from the least")
	parts := flag.String("parts", partNames(), "what to measure")
	o.files.AddFlags("extender")
	flag.Parse()
	figures.Main("extender", func(ctx context.Context) error {
		if err := o.choose(*sizes, *parts); err != nil {
			return err
		}
		return run(ctx, o, os.Stdout, os.Stderr)
	})
}

// choose reads what the user wants to be measured.
func (o *options) choose(sizes, parts string) error {
	if o.nodes < leastNodes {
		return fmt.Errorf("-nodes must be %d or more", leastNodes)
	}
	if min(o.rounds, o.requests, o.batch, o.changes, o.starts, o.pods) < 1 {
		return fmt.Errorf("-rounds, -requests, -batch, -changes, -starts and -pods must be 1 or more")
	}
	var err error
	if o.sizes, err = parseSizes(sizes); err != nil {
		return err
	}
	o.parts, err = parseParts(parts)
	return err
}

// parseSizes reads numbers that commas separate.
func parseSizes(text string) ([]int, error) {
	var sizes []int
	for word := range strings.SplitSeq(text, ",") {
		size, err := strconv.Atoi(strings.TrimSpace(word))
		if err != nil || size < leastNodes || len(sizes) > 0 && size <= sizes[len(sizes)-1] {
			return nil, fmt.Errorf("-sizes: %q; write growing numbers from %d on, such as 1000,65000", word,
				leastNodes)
		}
		sizes = append(sizes, size)
	}
	return sizes, nil
}

// run measures all parts and writes what it has after each.
func run(ctx context.Context, o options, out, progress io.Writer) error {
	b, err := start(ctx, o, progress)
	if err != nil {
		return err
	}
	defer b.stop()
	for _, p := range o.parts {
		fmt.Fprintf(progress, "measuring %s\n", p.title)
		if err := p.measure(b, ctx); err != nil {
			return figures.Failed(ctx, b.box, fmt.Errorf("%s: %w", p.name, err))
		}
		if err := o.files.Write(b.report, b.report.draw); err != nil {
			return err
		}
	}
	return b.report.print(out)
}
