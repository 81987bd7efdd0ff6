package main

import (
	"context"
	"fmt"
	"path/filepath"

	"berth.dev/berth/tests/bench/ask"
	"berth.dev/berth/tests/bench/lists"
	"berth.dev/berth/tests/e2e/fleet"
)

// sizeRequests are enough for a p99 and few enough for the largest cluster.
const sizeRequests = 200

// sized is what a number of nodes costs.
type sized struct {
	Nodes int `json:"nodes"`
	started
	Filter answers `json:"filter"` // with all names
}

// filled is what a cluster with many pods costs, start by start.
type filled struct {
	Pods   int       `json:"pods"`
	Starts []started `json:"starts"`
}

// grow measures clusters of all sizes.
func (b *bench) grow(ctx context.Context) error {
	b.report.Sizes = nil
	for _, nodes := range b.sizes {
		err := b.onGenerated(ctx, nodes, 0, func(s started) error {
			filter, err := b.filterAll(ctx, nodes, b.rounds, min(b.requests, sizeRequests))
			if err != nil {
				return err
			}
			s.AskedResidentMiB, err = b.resident()
			b.report.Sizes = append(b.report.Sizes, sized{Nodes: nodes, started: s, Filter: filter})
			return err
		})
		if err != nil {
			return fmt.Errorf("%d nodes: %w", nodes, err)
		}
		fmt.Fprintf(b.progress, "%d nodes done\n", nodes)
	}
	return nil
}

// fill measures a cluster with many pods.
func (b *bench) fill(ctx context.Context) error {
	b.report.Memory = &filled{Pods: b.pods}
	for range b.starts {
		err := b.onGenerated(ctx, b.nodes, b.pods, func(s started) error {
			if _, err := b.filterAll(ctx, b.nodes, 1, min(b.requests, sizeRequests)); err != nil {
				return err
			}
			var err error
			s.AskedResidentMiB, err = b.resident()
			b.report.Memory.Starts = append(b.report.Memory.Starts, s)
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// onGenerated has Berth, started on a generated cluster, do something.
func (b *bench) onGenerated(ctx context.Context, nodes, pods int, do func(started) error) error {
	cluster, err := lists.ClusterOf(fleet.Scaled(nodes), pods)
	if err != nil {
		return err
	}
	server := lists.Start(cluster)
	defer server.Close()
	defer b.box.Berth.Stop()
	kubeconfig := filepath.Join(b.box.Dir, "generated.kubeconfig")
	if err := server.WriteKubeconfig(kubeconfig); err != nil {
		return err
	}
	s, err := b.startOnce(ctx,
		map[string]any{"kubernetes": map[string]any{"kubeconfig": kubeconfig}}, nodes)
	if err != nil {
		return err
	}
	return do(s)
}

// filterAll asks about all nodes, after pods of so many shapes that Berth remembers as much as it
// ever does.
func (b *bench) filterAll(ctx context.Context, nodes, rounds, requests int) (answers, error) {
	filter := series{answers: answers{Who: "Berth", Verb: "filter", How: backToBack},
		client: b.client, url: b.box.Berth.URL, berth: b.box.Berth}
	names := ask.NodeNames(fleet.Scaled(nodes))
	before, err := filter.asking(newPods(varied), names)
	if err != nil {
		return answers{}, err
	}
	s, err := filter.asking(pods(b.seed, varied), names)
	if err != nil {
		return answers{}, err
	}
	for _, first := range []*series{before, s} { // caches
		if err := first.round(ctx, len(first.bodies)); err != nil {
			return answers{}, err
		}
	}
	s.Rounds = nil
	for range rounds {
		if err := s.round(ctx, requests); err != nil {
			return answers{}, err
		}
	}
	return s.answers, nil
}

func (b *bench) resident() (float64, error) {
	usage, err := b.box.Berth.Usage()
	return usage.ResidentMiB(), err
}
