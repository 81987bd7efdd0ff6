// Package e2e holds Berth to its promises on a real control plane. One box with Berth at its
// defaults serves most tests, one after the other; each starts on a fleet that is empty and well.
package e2e

import (
	"context"
	"fmt"
	"os"
	"testing"

	schedulerconfig "k8s.io/kube-scheduler/config/v1"

	"berth.dev/berth/tests/e2e/box"
	"berth.dev/berth/tests/e2e/fleet"
)

const (
	nodesPerPool = 4
	// kube-scheduler's default of 10 s would have tests wait for pods that found no node.
	maxBackoffSeconds = 2
)

// shared is the box that most tests use.
var shared *box.Box

func TestMain(m *testing.M) {
	os.Exit(box.RunSuite(m, box.Suite{Options: boxOptions(&box.BerthOptions{}), Fill: fill}))
}

// boxOptions are a control plane's; without Berth if berth is nil.
func boxOptions(berth *box.BerthOptions) box.Options {
	return box.Options{Berth: berth, Stages: fleet.Stages,
		Scheduler: func(config *schedulerconfig.KubeSchedulerConfiguration) {
			config.PodMaxBackoffSeconds = new(int64(maxBackoffSeconds))
		}}
}

// fill gives the box a small fleet.
func fill(ctx context.Context, b *box.Box) error {
	shared = b
	return createNodes(ctx, b)
}

func createNodes(ctx context.Context, b *box.Box) error {
	if err := fleet.CreateNodes(ctx, b.Client, fleet.Small(nodesPerPool)); err != nil {
		return fmt.Errorf("create nodes: %w", err)
	}
	return nil
}

// startBox starts a control plane with a small fleet; without Berth if berth is nil.
func startBox(ctx context.Context, berth *box.BerthOptions) (*box.Box, error) {
	b, err := box.Start(ctx, boxOptions(berth))
	if err != nil {
		return nil, err
	}
	if err := createNodes(ctx, b); err != nil {
		b.Stop()
		return nil, err
	}
	return b, nil
}
