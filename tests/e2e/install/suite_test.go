// Package install holds the chart to its promises: the real helm installs it on a real control
// plane, the real programs of its pods run, and kube-apiserver reaches them through their Services.
// One box serves all tests, one after the other; each takes the release as the one before left it,
// and installs what it needs.
package install

import (
	"context"
	"os"
	"path/filepath"
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

func TestMain(m *testing.M) {
	former, err := formerFolder()
	if err != nil {
		panic(err)
	}
	os.Exit(box.RunSuite(m, box.Suite{
		Options: box.Options{Kubelet: true, Stages: fleet.Stages,
			Images: map[string]string{formerImage: filepath.Join(former, formerBinary)},
			Scheduler: func(config *schedulerconfig.KubeSchedulerConfiguration) {
				config.PodMaxBackoffSeconds = new(int64(maxBackoffSeconds))
			}},
		// Nodes come without Berth's label: to give them theirs is the controller's part.
		Fill: func(ctx context.Context, b *box.Box) error {
			shared = b
			return fleet.CreateNodes(ctx, b.Client, fleet.Small(nodesPerPool))
		}}))
}
