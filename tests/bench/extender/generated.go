package main

import (
	"context"
	"fmt"
	"path/filepath"
	"time"

	"berth.dev/berth/tests/bench/ask"
	"berth.dev/berth/tests/bench/lists"
	"berth.dev/berth/tests/e2e/box"
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
	// Of a controller that plans. There are no Leases, so it does not lead.
	Controller []started `json:"controller,omitempty"`
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
	controller, err := b.box.NewController("memory", nil)
	if err != nil {
		return err
	}
	memory := &filled{Pods: b.pods}
	b.report.Memory = memory
	for range b.starts {
		err := b.onGenerated(ctx, b.nodes, b.pods, func(s started) error {
			if _, err := b.filterAll(ctx, b.nodes, 1, min(b.requests, sizeRequests)); err != nil {
				return err
			}
			var err error
			s.AskedResidentMiB, err = b.resident()
			memory.Starts = append(memory.Starts, s)
			return err
		})
		if err != nil {
			return err
		}
		lists, err := b.startController(ctx, controller)
		if err != nil {
			return err
		}
		memory.Controller = append(memory.Controller, lists)
	}
	return nil
}

// startController starts a controller on a generated cluster. It is ready when it has listed all
// nodes and pods.
func (b *bench) startController(ctx context.Context, controller *box.Controller) (started, error) {
	server, kubeconfig, err := b.generate(b.nodes, b.pods)
	if err != nil {
		return started{}, err
	}
	defer server.Close()
	if err := controller.Configure(kubeconfig); err != nil {
		return started{}, err
	}
	begin := time.Now()
	if err := controller.Start(ctx); err != nil {
		return started{}, err
	}
	defer controller.Stop()
	ready := time.Since(begin)
	usage, err := controller.Usage()
	return started{ReadySeconds: ready.Seconds(), CPUSeconds: usage.CPUSeconds,
		ResidentMiB: usage.ResidentMiB()}, err
}

// onGenerated has Berth, started on a generated cluster, do something.
func (b *bench) onGenerated(ctx context.Context, nodes, pods int, do func(started) error) error {
	server, kubeconfig, err := b.generate(nodes, pods)
	if err != nil {
		return err
	}
	defer server.Close()
	defer b.box.Berth.Stop()
	s, err := b.startOnce(ctx, kubeconfig, nodes)
	if err != nil {
		return err
	}
	return do(s)
}

// generate serves a generated cluster, and returns the keys of Berth's configuration that lead there.
func (b *bench) generate(nodes, pods int) (*lists.Server, map[string]any, error) {
	cluster, err := lists.ClusterOf(fleet.Scaled(nodes), pods)
	if err != nil {
		return nil, nil, err
	}
	server := lists.Start(cluster)
	kubeconfig := filepath.Join(b.box.Dir, "generated.kubeconfig")
	if err := server.WriteKubeconfig(kubeconfig); err != nil {
		server.Close()
		return nil, nil, err
	}
	return server, map[string]any{"kubernetes": map[string]any{"kubeconfig": kubeconfig}}, nil
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
