// Package doctor holds `berth doctor` to its promises: the chart is installed by the real helm on a
// real control plane, its pods run their real programs, and then one thing after the other is broken.
// What is broken is found, by the check that is for it and by no other. One box serves all tests.
package doctor

import (
	"context"
	"os"
	"testing"

	"berth.dev/berth/tests/e2e/box"
	"berth.dev/berth/tests/e2e/fleet"
)

const (
	nodesPerPool = 2
	release      = "berth"
	namespace    = box.KubeletNamespace
)

// shared is the box that all tests use.
var shared *box.Box

func TestMain(m *testing.M) {
	os.Exit(box.RunSuite(m, box.Suite{
		Options: box.Options{Kubelet: true, Stages: fleet.Stages}, Fill: install}))
}

// install fills the box with nodes and Berth.
func install(ctx context.Context, b *box.Box) error {
	shared = b
	if err := fleet.CreateNodes(ctx, shared.Client, fleet.Small(nodesPerPool)); err != nil {
		return err
	}
	chart, err := box.Chart()
	if err != nil {
		return err
	}
	_, err = shared.Helm(ctx, "install", release, chart, "--create-namespace", "--wait", "--timeout",
		"4m")
	return err
}
