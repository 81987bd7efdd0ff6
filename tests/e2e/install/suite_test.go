// Package install holds the chart to its promises: the real helm installs it on a real control
// plane, the real programs of its pods run, and kube-apiserver reaches them through their Services.
// One box serves all tests, one after the other; each takes the release as the one before left it,
// and installs what it needs.
package install

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
	nodesPerPool = 3
	// kube-scheduler's default of 10 s would have tests wait for pods that found no node.
	maxBackoffSeconds = 2
)

// shared is the box that all tests use.
var shared *box.Box

func TestMain(m *testing.M) { os.Exit(runSuite(m)) }

func runSuite(m *testing.M) int {
	ctx, cancel := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer cancel()
	var err error
	shared, err = box.Start(ctx, box.Options{Kubelet: true, Stages: fleet.Stages,
		Scheduler: func(config *schedulerconfig.KubeSchedulerConfiguration) {
			config.PodMaxBackoffSeconds = new(int64(maxBackoffSeconds))
		}})
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
	code := 1
	// Nodes come without Berth's label: to give them theirs is the controller's part.
	if err := fleet.CreateNodes(ctx, shared.Client, fleet.Small(nodesPerPool)); err != nil {
		fmt.Fprintln(os.Stderr, err)
	} else {
		code = m.Run()
	}
	if code != 0 {
		shared.KeepLogs(os.Stderr)
	}
	return code
}
