// Package e2e holds Berth to its promises on a real control plane. One box with Berth at its
// defaults serves most tests, one after the other; each starts on a fleet that is empty and well.
package e2e

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"
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

func TestMain(m *testing.M) { os.Exit(runSuite(m)) }

func runSuite(m *testing.M) int {
	ctx, cancel := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer cancel()
	var err error
	shared, err = startBox(ctx, &box.BerthOptions{})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer shared.Stop()
	interrupted := context.AfterFunc(ctx, func() {
		shared.Stop()
		os.Exit(130) // what shells report of a program that Ctrl-C ended
	})
	defer interrupted()
	code := m.Run()
	if code != 0 {
		shared.KeepLogs(os.Stderr)
	}
	return code
}

// startBox starts a control plane with a small fleet; without Berth if berth is nil.
func startBox(ctx context.Context, berth *box.BerthOptions) (*box.Box, error) {
	b, err := box.Start(ctx, box.Options{Berth: berth, Stages: fleet.Stages,
		Scheduler: func(config *schedulerconfig.KubeSchedulerConfiguration) {
			config.PodMaxBackoffSeconds = new(int64(maxBackoffSeconds))
		}})
	if err != nil {
		return nil, err
	}
	if err := fleet.CreateNodes(ctx, b.Client, fleet.Small(nodesPerPool)); err != nil {
		b.Stop()
		return nil, fmt.Errorf("create nodes: %w", err)
	}
	return b, nil
}
