package main

import (
	"context"
	"fmt"
	"io"
	"net/http/httptest"
	"path/filepath"

	"berth.dev/berth/tests/bench/echo"
	"berth.dev/berth/tests/bench/figures"
	"berth.dev/berth/tests/bench/placing"
)

// bench has ways take turns on one cluster: etcd and kube-apiserver run throughout, kube-scheduler
// and Berth only during a run, so that none has anything of the run before in its caches.
type bench struct {
	options
	cluster  *placing.Cluster
	echo     *httptest.Server
	warm     bool // there was a run
	progress io.Writer
}

// start makes the cluster.
func start(ctx context.Context, o options, progress io.Writer) (*bench, error) {
	cluster, err := placing.Start(ctx, placing.Options{Nodes: o.nodes, Seed: o.seed,
		Namespaces: namespaceNames(), Progress: progress})
	if err != nil {
		return nil, err
	}
	cluster.Box.Berth.Stop()
	return &bench{options: o, cluster: cluster, echo: echo.Start(), progress: progress}, nil
}

func (b *bench) stop() {
	b.cluster.Stop()
	b.echo.Close()
}

// measure has the ways place the load in turn.
func (b *bench) measure(ctx context.Context, l load) (loadReport, error) {
	ways, err := b.waysFor(ctx, l)
	if err != nil {
		return loadReport{}, err
	}
	outcomes := make([][]outcome, len(ways))
	for round := range b.pairs {
		for _, i := range figures.Order(round, len(ways)) {
			o, err := b.run(ctx, turn{load: l, way: ways[i], seed: b.seed + uint64(round)})
			if err != nil {
				return loadReport{}, err
			}
			outcomes[i] = append(outcomes[i], o)
			fmt.Fprintf(b.progress, "%s, round %d of %d: %.1f pods/s, %s\n", l.name, round+1, b.pairs,
				o.PodsPerSecond, ways[i].name)
		}
	}
	return newLoadReport(l, l.count(b.pods), ways, outcomes), b.profile(ctx, l, ways)
}

// waysFor are the ways that take turns, after a run that meets the cold caches of kube-apiserver
// and the kernel, whoever's it is.
func (b *bench) waysFor(ctx context.Context, l load) ([]way, error) {
	ways := b.ways
	var err error
	if len(ways) == 0 {
		ways, err = parseWays(l.ways)
	}
	if err == nil && !b.warm {
		b.warm = true
		_, err = b.run(ctx, turn{load: l, way: ways[0], seed: b.seed})
	}
	return ways, err
}

// profile has every way place the load once more, and writes what kube-scheduler did meanwhile.
func (b *bench) profile(ctx context.Context, l load, ways []way) error {
	if b.profiles == "" {
		return nil
	}
	for _, w := range ways {
		file := filepath.Join(b.profiles, fmt.Sprintf("%s-%s.pprof", l.name, w.name))
		if _, err := b.run(ctx, turn{load: l, way: w, seed: b.seed, profile: file}); err != nil {
			return err
		}
		fmt.Fprintf(b.progress, "%s, %s: profile in %s\n", l.name, w.name, file)
	}
	return nil
}
