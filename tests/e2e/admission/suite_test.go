// Package admission holds Berth's webhooks to their promises on a real control plane: real
// controllers create the pods, KWOK runs and ends them. One box serves all tests; each has a
// namespace of its own.
package admission

import (
	"context"
	"fmt"
	"os"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"berth.dev/berth/tests/e2e/box"
	"berth.dev/berth/tests/e2e/fleet"
)

const (
	nodesPerPool = 4
	// labelServer on a namespace names the admission server that is asked about it.
	labelServer = "e2e.berth.dev/server"
)

// Servers that differ by what is configured.
const (
	serverDefault   = "by-default"
	serverRetrying  = "retrying"  // infrastructureRetries: 1
	serverRetryless = "retryless" // Jobs without limits stay without, and are not retried
	serverGangs     = "gangs"     // pods of gangs wait for each other
)

var configs = map[string]map[string]any{
	serverDefault:  nil,
	serverRetrying: policies("jobRetries", map[string]any{"infrastructureRetries": 1}),
	serverRetryless: policies("guaranteedQos", map[string]any{
		"missingLimits": "AllowRetryless"}),
	serverGangs: policies("gangs", map[string]any{"mode": "Enforce"}),
}

func policies(name string, config map[string]any) map[string]any {
	return map[string]any{"policies": map[string]any{name: config}}
}

// shared is the box that all tests use.
var shared *box.Box

func TestMain(m *testing.M) {
	os.Exit(box.RunSuite(m, box.Suite{
		Options: box.Options{Stages: fleet.Stages + "\n---\n" + fleet.Fates}, Fill: fill}))
}

// fill gives the box nodes and admission servers.
func fill(ctx context.Context, b *box.Box) error {
	shared = b
	if err := createNodes(ctx, fleet.Small(nodesPerPool)); err != nil {
		return fmt.Errorf("create nodes: %w", err)
	}
	for name, config := range configs {
		admission, err := startServer(ctx, name, config)
		if err != nil {
			return err
		}
		registration, err := registrationOf(ctx, name)
		if err != nil {
			return err
		}
		if err := shared.RegisterAdmission(ctx, registration, admission); err != nil {
			return err
		}
	}
	return nil
}

// createNodes makes labelled ones, as `berth controller` labels them.
func createNodes(ctx context.Context, pools []fleet.Pool) error {
	for _, pool := range pools {
		for _, node := range fleet.Nodes([]fleet.Pool{pool}, time.Now()) {
			if pool.Accelerator != "" {
				node.Labels[acceleratorLabel] = pool.Accelerator
			}
			_, err := shared.Client.CoreV1().Nodes().Create(ctx, node, metav1.CreateOptions{})
			if err != nil {
				return err
			}
		}
	}
	return nil
}

func startServer(ctx context.Context, name string, config map[string]any) (*box.Admission, error) {
	admission, err := shared.NewAdmission(name, config)
	if err != nil {
		return nil, err
	}
	return admission, admission.Start(ctx)
}

// registrationOf a server is for namespaces labelled with its name; there is one of them at once.
func registrationOf(ctx context.Context, server string) (box.Registration, error) {
	namespace, err := shared.Client.CoreV1().Namespaces().Create(ctx, &corev1.Namespace{
		ObjectMeta: metav1.ObjectMeta{GenerateName: "probe-", Labels: map[string]string{
			labelServer: server, box.LabelAdmission: "enforce"}},
	}, metav1.CreateOptions{})
	if err != nil {
		return box.Registration{}, err
	}
	return box.Registration{Name: server, Probe: namespace.Name,
		Namespaces: []metav1.LabelSelectorRequirement{{Key: labelServer,
			Operator: metav1.LabelSelectorOpIn, Values: []string{server}}},
	}, nil
}
