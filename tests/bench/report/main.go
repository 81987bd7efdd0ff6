// Report measures how long `berth report` takes for a dump of a large cluster, and how much memory.
// It writes the dump first, as `kubectl get nodes,namespaces,pods,jobs -A -o json` would, and then
// has it read some times. Exits with 1 where the reports take longer, or more memory, than they may.
package main

import (
	"context"
	"flag"
	"os"
	"time"

	"berth.dev/berth/tests/bench/figures"
)

// options are what is measured, and how often.
type options struct {
	nodes  int
	pods   int
	rounds int
	output string
	within time.Duration
	most   int // MiB
	dump   string
}

func main() {
	var o options
	flag.IntVar(&o.nodes, "nodes", 7498, "nodes in the cluster")
	flag.IntVar(&o.pods, "pods", 200_000, "pods in the cluster")
	flag.IntVar(&o.rounds, "rounds", 5, "how often the report is made; 0: only write the dump")
	flag.StringVar(&o.output, "output", "json", "output of the report: table, wide, json, yaml, html or objects")
	flag.DurationVar(&o.within, "within", 20*time.Second, "how long the median report may take")
	flag.IntVar(&o.most, "most", 512, "MiB of memory that a report may take")
	flag.StringVar(&o.dump, "dump", "", "keep the dump in this file, and do not write it if it is there")
	flag.Parse()
	figures.Main("report", func(ctx context.Context) error { return run(ctx, o, os.Stdout) })
}
