//go:build frameworks

// Package frameworks has the controllers of frameworks run their smallest examples of several pods
// in namespaces that enforce, placed by Berth. KWOK runs the pods; one of them is killed, a node
// breaks, and the example ends as its framework promises. One box serves all tests, one framework
// after the other.
package frameworks

import (
	"context"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"slices"
	"testing"
	"time"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	schedulerconfig "k8s.io/kube-scheduler/config/v1"
	"sigs.k8s.io/yaml"

	"berth.dev/berth/tests/e2e/box"
	"berth.dev/berth/tests/e2e/fleet"
)

const nodesPerPool = 4

// shared is the box that all tests use.
var shared *box.Box

func TestMain(m *testing.M) {
	os.Exit(box.RunSuite(m, box.Suite{
		Options: box.Options{
			Berth:  &box.BerthOptions{},
			Stages: fleet.Stages + "\n---\n" + fleet.Fates,
			Scheduler: func(config *schedulerconfig.KubeSchedulerConfiguration) {
				config.PodMaxBackoffSeconds = new(int64(2)) // who found no node tries again soon
			},
		}, Fill: fill}))
}

// fill gives the box nodes and an admission server that knows all frameworks.
func fill(ctx context.Context, b *box.Box) error {
	shared = b
	if err := createNodes(ctx, fleet.Small(nodesPerPool)); err != nil {
		return fmt.Errorf("create nodes: %w", err)
	}
	profiles, err := readProfiles(ctx)
	if err != nil {
		return err
	}
	admission, err := b.NewAdmission("admission", map[string]any{
		"frameworks": slices.Sorted(maps.Keys(profiles))})
	if err != nil {
		return err
	}
	if err := admission.Start(ctx); err != nil {
		return err
	}
	registration := box.Registration{Name: "frameworks", Probe: "probe"}
	enforce := map[string]string{box.LabelAdmission: "enforce"}
	if err := b.CreateNamespace(ctx, registration.Probe, enforce); err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(profiles)) {
		registration.Others = append(registration.Others, profiles[name].Rules...)
	}
	return b.RegisterAdmission(ctx, registration, admission)
}

// createNodes makes labelled ones, as `berth controller` labels them.
func createNodes(ctx context.Context, pools []fleet.Pool) error {
	for _, pool := range pools {
		for _, node := range fleet.Nodes([]fleet.Pool{pool}, time.Now()) {
			if pool.Accelerator != "" {
				node.Labels["berth.dev/accelerator"] = pool.Accelerator
			}
			_, err := shared.Client.CoreV1().Nodes().Create(ctx, node, metav1.CreateOptions{})
			if err != nil {
				return err
			}
		}
	}
	return nil
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
