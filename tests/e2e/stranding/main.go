// Command stranding replays the same seeded pods of mixed sizes and models until nothing fits, on
// two clusters: with kube-scheduler's default scoring, and with kube-scheduler asking Berth. A table
// tells how many devices stay free although pods that ask for such devices wait. It exits with 1 if
// Berth does not strand fewer.
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

	"berth.dev/berth/tests/e2e/box"
	"berth.dev/berth/tests/e2e/fleet"
)

type options struct {
	seeds []uint64
	pods  int
	pools []fleet.Pool
}

func main() {
	seeds := flag.String("seeds", "1,2,3,4,5", "each decides a workload; the same seed, the same pods")
	pods := flag.Int("pods", 2000, "pods of a workload")
	flag.Parse()
	ctx, cancel := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM,
		syscall.SIGHUP)
	err := run(ctx, *seeds, *pods, os.Stdout)
	cancel()
	if err != nil {
		fmt.Fprintln(os.Stderr, "stranding:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, seeds string, pods int, out io.Writer) error {
	o := options{pods: pods, pools: fleet.Reference()}
	for text := range strings.SplitSeq(seeds, ",") {
		seed, err := strconv.ParseUint(strings.TrimSpace(text), 10, 64)
		if err != nil {
			return fmt.Errorf("-seeds: %q is no number; write a list such as 1,2,3", text)
		}
		o.seeds = append(o.seeds, seed)
	}
	alone, berth, err := compare(ctx, o, out)
	if err != nil {
		return err
	}
	printTable(out, o.pools, []column{alone, berth})
	return verdict(alone, berth)
}

// compare replays the seeds without and with Berth.
func compare(ctx context.Context, o options, out io.Writer) (alone, berth column, err error) {
	alone, err = play(ctx, o, "kube-scheduler alone", nil, out)
	if err != nil {
		return column{}, column{}, err
	}
	berth, err = play(ctx, o, "kube-scheduler with Berth", &box.BerthOptions{}, out)
	return alone, berth, err
}

// play replays the seeds on a cluster of their own; what went wrong comes with the logs.
func play(
	ctx context.Context, o options, title string, berth *box.BerthOptions, out io.Writer,
) (column, error) {
	c, err := startCluster(ctx, title, o.pools, berth, out)
	if err != nil {
		return column{}, fmt.Errorf("%s: %w", title, err)
	}
	defer c.box.Stop()
	result := column{title: title}
	for _, seed := range o.seeds {
		outcome, err := c.replay(ctx, seed, o.pods)
		if err != nil {
			if !errors.Is(err, context.Canceled) {
				c.box.KeepLogs(os.Stderr)
			}
			return column{}, fmt.Errorf("%s, seed %d: %w", title, seed, err)
		}
		result.outcomes = append(result.outcomes, outcome)
	}
	return result, nil
}

// verdict is an error unless Berth strands fewer devices over all seeds.
func verdict(alone, berth column) error {
	without, with := strandedAtCapacity(alone), strandedAtCapacity(berth)
	if with >= without {
		return fmt.Errorf("with Berth %d devices are stranded in all, without %d", with, without)
	}
	return nil
}

func strandedAtCapacity(c column) int64 {
	sum := int64(0)
	for _, o := range c.outcomes {
		sum += o.atCapacity.total()
	}
	return sum
}
