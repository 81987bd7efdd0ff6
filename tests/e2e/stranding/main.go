// Command stranding replays the same seeded pods of mixed sizes and models until nothing fits, on a
// cluster for each way to place them: with kube-scheduler's default scoring, with kube-scheduler
// asking Berth, and with shortlists. A table tells how many devices stay free although pods that
// ask for such devices wait. It exits with 1 if Berth, with a shortlist or without, does not strand
// fewer or has more pods wait, or if a shortlist strands clearly more than the full answer.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"syscall"

	"berth.dev/berth/tests/e2e/fleet"
	"berth.dev/berth/tests/e2e/stranded"
)

type options struct {
	seeds      []uint64
	pods       int
	pools      []fleet.Pool
	ways       []way
	percentage int32 // of the nodes that kube-scheduler looks at; 0: its default
}

func main() {
	seeds := flag.String("seeds", "1,2,3,4,5", "each decides a workload; the same seed, the same pods")
	pods := flag.Int("pods", 2000, "pods of a workload")
	shortlists := flag.String("shortlists", "1,8", "sizes of shortlists, each a further way; "+
		"behind a size +filter-only: Berth is not asked to prioritize")
	percentage := flag.Int("percentage", 100, "percentageOfNodesToScore; 0: kube-scheduler's default")
	flag.Parse()
	ctx, cancel := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM,
		syscall.SIGHUP)
	err := run(ctx, *seeds, *shortlists, options{
		pods: *pods, pools: fleet.Reference(), percentage: int32(*percentage)}, os.Stdout)
	cancel()
	if err != nil {
		fmt.Fprintln(os.Stderr, "stranding:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, seeds, shortlists string, o options, out io.Writer) error {
	var err error
	if o.seeds, err = parseSeeds(seeds); err != nil {
		return err
	}
	if o.ways, err = parseWays(shortlists); err != nil {
		return err
	}
	columns, err := compare(ctx, o, out)
	if err != nil {
		return err
	}
	printTable(out, o.pools, columns)
	return verdict(columns)
}

func parseSeeds(text string) ([]uint64, error) {
	var seeds []uint64
	for item := range strings.SplitSeq(text, ",") {
		seed, err := strconv.ParseUint(strings.TrimSpace(item), 10, 64)
		if err != nil {
			return nil, fmt.Errorf("-seeds: %q is no number; write a list such as 1,2,3", item)
		}
		seeds = append(seeds, seed)
	}
	return seeds, nil
}

// compare replays the seeds in each way; the first one is without Berth.
func compare(ctx context.Context, o options, out io.Writer) ([]column, error) {
	var columns []column
	for _, w := range o.ways {
		played, err := play(ctx, o, w, out)
		if err != nil {
			return nil, err
		}
		columns = append(columns, played)
	}
	return columns, nil
}

// play replays the seeds on a cluster of their own; what went wrong comes with the logs.
func play(ctx context.Context, o options, w way, out io.Writer) (column, error) {
	c, err := startCluster(ctx, w, o, out)
	if err != nil {
		return column{}, fmt.Errorf("%s: %w", w.title, err)
	}
	defer c.box.Stop()
	result := column{title: w.title}
	for _, seed := range o.seeds {
		outcome, err := c.replay(ctx, seed, o.pods)
		if err != nil {
			if !errors.Is(err, context.Canceled) {
				c.box.KeepLogs(os.Stderr)
			}
			return column{}, fmt.Errorf("%s, seed %d: %w", w.title, seed, err)
		}
		result.outcomes = append(result.outcomes, outcome)
	}
	return result, c.checkShortlist(ctx)
}

// mostLost is how many more devices than the full answer a shortlist may strand, as a part of what
// kube-scheduler alone strands. Ties make runs of the same seeds differ: by 6 % in the tables of
// docs/scheduling.md, and by more on a smaller cluster with fewer seeds, as in the test.
const mostLost = 0.25

// verdict is an error unless every way with Berth strands fewer devices than kube-scheduler alone
// over all seeds, has no more pods wait, and no shortlist loses much of that. The columns are those
// of parseWays.
func verdict(columns []column) error {
	alone, full := columns[0], columns[1]
	var failures []error
	for _, c := range columns[1:] {
		if with, without := strandedAtCapacity(c), strandedAtCapacity(alone); with >= without {
			failures = append(failures, fmt.Errorf("%s: %d devices are stranded in all, without Berth %d",
				c.title, with, without))
		}
		if with, without := waitingAtCapacity(c), waitingAtCapacity(alone); with > without {
			failures = append(failures, fmt.Errorf("%s: %d pods wait in all, without Berth %d", c.title,
				with, without))
		}
	}
	most := strandedAtCapacity(full) + int64(mostLost*float64(strandedAtCapacity(alone)))
	for _, c := range columns[2:] {
		if stranded := strandedAtCapacity(c); stranded > most {
			failures = append(failures, fmt.Errorf("%s: %d devices are stranded in all, want %d at most: "+
				"all nodes that fit strand %d", c.title, stranded, most, strandedAtCapacity(full)))
		}
	}
	return errors.Join(failures...)
}

func strandedAtCapacity(c column) int64 { return sumAtCapacity(c, stranded.Holding.Total) }

func waitingAtCapacity(c column) int64 {
	return sumAtCapacity(c, func(h stranded.Holding) int64 { return int64(h.Waiting) })
}

// sumAtCapacity is over all seeds.
func sumAtCapacity(c column, value func(stranded.Holding) int64) int64 {
	sum := int64(0)
	for _, o := range c.outcomes {
		sum += value(o.atCapacity)
	}
	return sum
}
