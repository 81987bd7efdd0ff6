package main

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http/httptest"
	"path/filepath"
	"time"

	"berth.dev/berth/tests/bench/echo"
	"berth.dev/berth/tests/bench/figures"
	"berth.dev/berth/tests/e2e/box"
	"berth.dev/berth/tests/e2e/fleet"
)

// One node in so many has a fault for as long as the benchmark takes.
const brokenEvery = 33

// faults are what the broken nodes have: some keep pods away, some only lower the score.
var faults = []string{"GPUIsLost", "GPURuntimeError", "GPUPendingPage", "DStateProcess",
	"PCIeLinkDegraded", "NICLinkFlapping"}

// bench has ways take turns on one cluster: etcd and kube-apiserver run throughout, kube-scheduler
// and Berth only during a run, so that none has anything of the run before in its caches.
type bench struct {
	options
	box      *box.Box
	echo     *httptest.Server
	well     []string // nodes with accelerators and without a fault
	warm     bool     // there was a run
	progress io.Writer
}

// start makes the cluster and stops all that has no part in placing pods: nothing makes pods run,
// writes heartbeats or taints nodes.
func start(ctx context.Context, o options, progress io.Writer) (*bench, error) {
	cluster, err := box.Start(ctx, box.Options{Berth: &box.BerthOptions{}, Progress: progress})
	if err != nil {
		return nil, err
	}
	b := &bench{options: o, box: cluster, echo: echo.Start(), progress: progress}
	if err := b.prepare(ctx); err != nil {
		err = figures.Failed(ctx, b.box, err)
		b.stop()
		return nil, err
	}
	return b, nil
}

func (b *bench) prepare(ctx context.Context) error {
	for index := range namespaces {
		if err := b.box.CreateNamespace(ctx, namespaceName(index), nil); err != nil {
			return err
		}
	}
	for _, process := range []*box.Process{b.box.Scheduler, b.box.Berth.Process, b.box.Kwok,
		b.box.ControllerManager} {
		process.Stop()
	}
	begin := time.Now()
	pools := fleet.Scaled(b.nodes)
	if err := fleet.CreateNodes(ctx, b.box.Client, pools); err != nil {
		return fmt.Errorf("create nodes: %w", err)
	}
	fmt.Fprintf(b.progress, "%d nodes created in %.0f s\n", b.nodes, time.Since(begin).Seconds())
	return b.breakSome(ctx, pools)
}

// breakSome gives nodes that the seed decides a fault each, and remembers the others.
func (b *bench) breakSome(ctx context.Context, pools []fleet.Pool) error {
	random := rand.New(rand.NewPCG(b.seed, 6))
	for _, pool := range pools {
		for index := range pool.Nodes {
			name := pool.NodeName(index)
			if pool.Accelerator == "" {
				continue
			}
			if random.IntN(brokenEvery) != 0 {
				b.well = append(b.well, name)
				continue
			}
			fault := faults[random.IntN(len(faults))]
			if err := fleet.SetCondition(ctx, b.box.Client, name, fault, true); err != nil {
				return fmt.Errorf("break %s: %w", name, err)
			}
		}
	}
	return nil
}

func (b *bench) stop() {
	b.box.Stop()
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
