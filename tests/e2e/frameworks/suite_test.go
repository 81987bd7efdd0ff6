//go:build frameworks

// Package frameworks has the controllers of frameworks run their smallest examples of several pods
// in namespaces that enforce, placed by Berth. KWOK runs the pods; one of them is killed, a node
// breaks, and the example ends as its framework promises. Others ask to be gangs. One box serves all
// tests, one framework after the other.
package frameworks

import (
	"context"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"slices"
	"testing"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	schedulerconfig "k8s.io/kube-scheduler/config/v1"
	"sigs.k8s.io/yaml"

	"berth.dev/berth/tests/e2e/box"
	"berth.dev/berth/tests/e2e/fleet"
)

const nodesPerPool = 4

// shared is the box that all tests use, and controller plans gangs in it.
var (
	shared     *box.Box
	controller *box.Controller
)

func TestMain(m *testing.M) {
	os.Exit(box.RunSuite(m, box.Suite{
		Options: box.Options{
			Berth:  &box.BerthOptions{Config: config()},
			Stages: fleet.Stages + "\n---\n" + fleet.Fates,
			Scheduler: func(config *schedulerconfig.KubeSchedulerConfiguration) {
				config.PodMaxBackoffSeconds = new(int64(2)) // who found no node tries again soon
			},
		}, Fill: fill}))
}

// fill gives the box nodes and an admission server that knows all frameworks.
func fill(ctx context.Context, b *box.Box) error {
	shared = b
	if err := fleet.CreateNodes(ctx, b.Client, pools()); err != nil {
		return fmt.Errorf("create nodes: %w", err)
	}
	profiles, err := readProfiles(ctx)
	if err != nil {
		return err
	}
	admission, err := b.NewAdmission("admission", map[string]any{
		"frameworks": slices.Sorted(maps.Keys(profiles)),
		"policies":   map[string]any{"gangs": map[string]any{"mode": "Enforce"}}})
	if err != nil {
		return err
	}
	if err := admission.Start(ctx); err != nil {
		return err
	}
	registration := box.Registration{Name: "frameworks", Probe: "probe", Planner: "berth-controller"}
	enforce := map[string]string{box.LabelAdmission: "enforce"}
	if err := b.CreateNamespace(ctx, registration.Probe, enforce); err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(profiles)) {
		registration.Others = append(registration.Others, profiles[name].Rules...)
	}
	if err := b.RegisterAdmission(ctx, registration, admission); err != nil {
		return err
	}
	if controller, err = b.NewController("controller", config()); err != nil {
		return err
	}
	if err := b.GrantController(ctx, controller); err != nil {
		return err
	}
	return controller.Start(ctx)
}

// config has the keys that extender and controller share.
func config() map[string]any {
	return map[string]any{
		"planner": map[string]any{
			"schedulers": []string{corev1.DefaultSchedulerName},
			"gangs":      map[string]any{"enabled": true},
			"topology":   []map[string]any{{"label": fleet.LabelRack}},
		},
		"controller": map[string]any{
			"lease": map[string]any{"namespace": metav1.NamespaceDefault}},
	}
}

// pools have labelled nodes, as `berth controller` labels them.
func pools() []fleet.Pool {
	pools := fleet.Small(nodesPerPool)
	pools[0] = gangPool()
	for i := range pools {
		pools[i].Labelled = true
	}
	return pools
}

// profile is what Berth says of a framework, but for its controllers.
type profile struct {
	Templates []struct{ Group, Kind, Path, Of string } `json:"templates"`
	Rules     []admissionv1.Rule                       `json:"rules"`
}

func readProfiles(ctx context.Context) (map[string]profile, error) {
	berth, err := box.BerthBinary()
	if err != nil {
		return nil, err
	}
	text, err := exec.CommandContext(ctx, berth, "config", "frameworks").Output()
	if err != nil {
		return nil, fmt.Errorf("berth config frameworks: %w", err)
	}
	var profiles map[string]profile
	return profiles, yaml.Unmarshal(text, &profiles)
}
