// Load measures what kube-scheduler waits for: filter and prioritize over TLS at 7,498 nodes, asked
// by one caller on one connection, against a Go extender that only echoes the names. The two are
// asked in turn, block by block, so that a machine that slows down slows both.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"runtime"
	"syscall"
	"time"

	"berth.dev/berth/tests/bench/echo"
	"berth.dev/berth/tests/e2e/box"
	"berth.dev/berth/tests/e2e/fleet"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	nodes := flag.Int("nodes", 7498, "nodes in the cluster, all named in every filter")
	blocks := flag.Int("blocks", 15, "blocks of each kind, in turn")
	requests := flag.Int("requests", 200, "requests in a block")
	flag.Parse()
	if err := run(ctx, *nodes, *blocks, *requests); err != nil {
		fmt.Fprintln(os.Stderr, "load:", err)
		stop()
		os.Exit(1)
	}
}

func run(ctx context.Context, nodes, blocks, requests int) error {
	cluster, err := box.Start(ctx, box.Options{Berth: &box.BerthOptions{}, Progress: os.Stderr})
	if err != nil {
		return err
	}
	defer cluster.Stop()
	pools := scaled(fleet.Reference(), nodes)
	begin := time.Now()
	if err := fleet.CreateNodes(ctx, cluster.Client, pools); err != nil {
		return err
	}
	fmt.Fprintf(os.Stderr, "%d nodes created in %.0f s\n", nodes, time.Since(begin).Seconds())

	client, err := cluster.Berth.HTTPClient()
	if err != nil {
		return err
	}
	other := echo.Start()
	defer other.Close()
	names := nodeNames(pools)
	if err := awaitAll(ctx, client, cluster.Berth.URL, names); err != nil {
		return err
	}
	sampled := min(len(names), sampleSize(len(names)))
	series := []*series{
		{name: "berth filter", client: client, url: cluster.Berth.URL + "/filter", names: names},
		{name: "echo filter (Go)", client: other.Client(), url: other.URL + "/filter", names: names},
		{name: "berth prioritize", client: client, url: cluster.Berth.URL + "/prioritize",
			names: names[:sampled]},
		{name: "echo prioritize (Go)", client: other.Client(), url: other.URL + "/prioritize",
			names: names[:sampled]},
	}
	for block := range blocks {
		for i := range series {
			// Every other block in the opposite order: who comes second finds warmer caches.
			if block%2 == 1 {
				i = len(series) - 1 - i
			}
			if err := series[i].run(ctx, requests); err != nil {
				return err
			}
		}
	}
	fmt.Printf("%d nodes, %d blocks of %d requests each, one connection, TLS 1.3, %s, %d CPUs\n",
		nodes, blocks, requests, runtime.Version(), runtime.NumCPU())
	report(os.Stdout, series)
	return reportServerTime(ctx, os.Stdout, cluster.Berth.MetricsURL)
}
