package main

import (
	"context"
	"fmt"
	"io"
	"path/filepath"

	"berth.dev/berth/tests/bench/figures"
	"berth.dev/berth/tests/bench/placing"
)

// bench has contenders take turns. etcd and kube-apiserver of every cluster run throughout,
// kube-scheduler and Berth only during a run, so that none has anything of the run before in its
// caches.
type bench struct {
	options
	clusters []*placing.Cluster
	warm     bool // there was a run
	progress io.Writer
}

// contender is a way on a cluster.
type contender struct {
	name    string
	way     placing.Way
	cluster *placing.Cluster
}

// start makes the clusters.
func start(ctx context.Context, o options, progress io.Writer) (*bench, error) {
	b := &bench{options: o, progress: progress}
	for _, nodes := range o.nodes {
		cluster, err := placing.Start(ctx, placing.Options{Nodes: nodes, Seed: o.seed,
			Namespaces: namespaceNames(), Progress: progress})
		if err != nil {
			b.stop()
			return nil, err
		}
		cluster.Box.Berth.Stop()
		b.clusters = append(b.clusters, cluster)
	}
	return b, nil
}

func (b *bench) stop() {
	for _, each := range b.clusters {
		each.Stop()
	}
}

// failed keeps the logs.
func (b *bench) failed(ctx context.Context, err error) error {
	for _, each := range b.clusters {
		err = figures.Failed(ctx, each.Box, err)
	}
	return err
}

// contenders are all ways on the first cluster, then on the next.
func (b *bench) contenders() []contender {
	var all []contender
	for _, cluster := range b.clusters {
		for _, w := range b.ways {
			name := w.Name
			if len(b.clusters) > 1 {
				name = fmt.Sprintf("%s, %d nodes", name, cluster.Nodes())
			}
			all = append(all, contender{name, w, cluster})
		}
	}
	return all
}

// measure has the contenders place the load in turn.
func (b *bench) measure(ctx context.Context, l load) (loadReport, error) {
	all := b.contenders()
	if err := b.warmUp(ctx, l, all); err != nil {
		return loadReport{}, err
	}
	outcomes := make([][]outcome, len(all))
	for round := range b.rounds {
		for _, i := range figures.Order(round, len(all)) {
			o, err := b.run(ctx, turn{contender: all[i], load: l, seed: b.seed + uint64(round)})
			if err != nil {
				return loadReport{}, err
			}
			outcomes[i] = append(outcomes[i], o)
			fmt.Fprintf(b.progress, "%s, round %d of %d, %s: %s\n", l.name, round+1, b.rounds,
				all[i].name, o)
		}
	}
	return newLoadReport(l, b.options, all, outcomes), b.profile(ctx, l, all)
}

// warmUp is a run on every cluster that meets the cold caches of kube-apiserver and the kernel,
// whoever's it is.
func (b *bench) warmUp(ctx context.Context, l load, all []contender) error {
	if b.warm {
		return nil
	}
	b.warm = true
	for i := 0; i < len(all); i += len(b.ways) {
		if _, err := b.run(ctx, turn{contender: all[i], load: l, seed: b.seed}); err != nil {
			return err
		}
	}
	return nil
}

// profile has every contender place the load once more, and writes what kube-scheduler did
// meanwhile.
func (b *bench) profile(ctx context.Context, l load, all []contender) error {
	if b.profiles == "" {
		return nil
	}
	for _, each := range all {
		file := filepath.Join(b.profiles, fmt.Sprintf("%s-%s-%d.pprof", l.name, each.way.Name,
			each.cluster.Nodes()))
		if _, err := b.run(ctx, turn{contender: each, load: l, seed: b.seed, profile: file}); err != nil {
			return err
		}
		fmt.Fprintf(b.progress, "%s, %s: profile in %s\n", l.name, each.name, file)
	}
	return nil
}
