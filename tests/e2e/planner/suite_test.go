// Package planner holds `berth controller` to what it promises of nominations, on a real control
// plane: kube-scheduler samples so few nodes that it misses the ones that fit.
package planner

import (
	"context"
	"fmt"
	"maps"
	"os"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	schedulerconfig "k8s.io/kube-scheduler/config/v1"

	"berth.dev/berth/tests/e2e/box"
	"berth.dev/berth/tests/e2e/fleet"
)

const (
	v100Nodes    = 400 // of which kube-scheduler looks for 100 that fit
	a100Nodes    = 6
	awaitTimeout = 60 * time.Second
)

var (
	shared     *box.Box
	controller *box.Controller
)

func TestMain(m *testing.M) {
	os.Exit(box.RunSuite(m, box.Suite{
		Options: box.Options{Berth: &box.BerthOptions{Config: config()}, Stages: fleet.Stages,
			Scheduler: func(config *schedulerconfig.KubeSchedulerConfiguration) {
				config.PercentageOfNodesToScore = new(int32(1))
			}},
		Fill: fill,
	}))
}

// fill gives the box many V100 nodes, few A100 nodes, and a controller that plans for its
// kube-scheduler and may write what the chart's policy lets it.
func fill(ctx context.Context, b *box.Box) error {
	shared = b
	if err := fleet.CreateNodes(ctx, b.Client, pools()); err != nil {
		return fmt.Errorf("create nodes: %w", err)
	}
	if err := createPodPolicy(ctx, b.Client); err != nil {
		return fmt.Errorf("create the policy: %w", err)
	}
	var err error
	controller, err = newController(ctx, "controller", config()["planner"])
	if err != nil {
		return err
	}
	return controller.Start(ctx)
}

func newController(ctx context.Context, name string, planner any) (*box.Controller, error) {
	made, err := shared.NewController(name, map[string]any{"planner": planner})
	if err != nil {
		return nil, err
	}
	return made, shared.GrantController(ctx, made)
}

// planBacklogs has another controller lead until the test ends, which plans for pods that
// kube-scheduler has not tried yet. `keys` are those of planner.backlog beside `enabled`.
func (w *world) planBacklogs(keys map[string]any) {
	w.Helper()
	former, ctx := controller, context.WithoutCancel(w.Context())
	planner := maps.Clone(config()["planner"].(map[string]any))
	backlog := map[string]any{"enabled": true}
	maps.Copy(backlog, keys)
	planner["backlog"] = backlog
	changed, err := newController(ctx, "backlog", planner)
	w.Check("configure a controller", err)
	former.Stop()
	w.Cleanup(func() {
		controller.Stop()
		controller = former
		w.Check("start the former controller", former.Start(ctx))
	})
	controller = changed
	w.Check("start the controller", changed.Start(ctx))
}

// config has the keys by which the extender knows what the controller does.
func config() map[string]any {
	return map[string]any{
		"planner": map[string]any{"schedulers": []string{corev1.DefaultSchedulerName}},
		"controller": map[string]any{
			"lease": map[string]any{"namespace": metav1.NamespaceDefault}},
	}
}

func pools() []fleet.Pool {
	all := fleet.Reference()
	v100, a100 := all[0], all[2]
	v100.Nodes, a100.Nodes = v100Nodes, a100Nodes
	return []fleet.Pool{v100, a100}
}

// world is the box as a test sees it.
type world struct{ box.Test }

// fresh is the box without pods, and with every node well.
func fresh(t *testing.T) *world {
	t.Helper()
	w := &world{box.Test{T: t, Timeout: awaitTimeout}}
	w.Check("delete pods", w.all().DeleteCollection(t.Context(),
		metav1.DeleteOptions{GracePeriodSeconds: new(int64)}, metav1.ListOptions{}))
	w.Await("pods to be gone", func() bool { return len(w.pods()) == 0 })
	return w
}
