// Package gangs holds Berth to what it promises of gangs, on a real control plane: the webhook gates
// their pods, the controller plans, reserves and releases them, kube-scheduler binds them. A witness
// sees every revision of their pods.
package gangs

import (
	"context"
	"flag"
	"fmt"
	"os"
	"testing"
	"time"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"berth.dev/berth/tests/e2e/box"
	"berth.dev/berth/tests/e2e/fleet"
)

const (
	namespace = "ml" // of all gangs; it enforces
	racks     = 4
	rackNodes = 4
	nodes     = racks * rackNodes
	devices   = 8 // of a node

	awaitTimeout = 60 * time.Second
)

// `make check-all` names those of the other versions of Kubernetes.
var (
	apiServer = flag.String("kube-apiserver", "kube-apiserver", "program of .cache/bin")
	scheduler = flag.String("kube-scheduler", "kube-scheduler", "program of .cache/bin")
	native    = flag.Bool("native", false, "pods of gangs wait for PodGroups instead of behind gates; "+
		"both programs are of Kubernetes 1.37")
)

var (
	shared     *box.Box
	controller *box.Controller
	webhook    *box.Admission
)

func TestMain(m *testing.M) {
	flag.Parse()
	os.Exit(box.RunSuite(m, box.Suite{Options: options(), Fill: fill}))
}

func options() box.Options {
	return box.Options{Berth: &box.BerthOptions{Config: config(timeout)}, PodGroups: *native,
		Programs: map[string]string{"kube-apiserver": *apiServer, "kube-scheduler": *scheduler},
		Stages:   fleet.Stages + "\n---\n" + fleet.Fates}
}

// fill gives the box a small fleet.
func fill(ctx context.Context, b *box.Box) error {
	return fillWith(ctx, b, pool(), admissionv1.Ignore)
}

// fillWith gives the box, which is the tests' from then on, nodes in racks, a webhook that knows gangs,
// and a controller that plans them.
func fillWith(
	ctx context.Context, b *box.Box, pool fleet.Pool, policy admissionv1.FailurePolicyType,
) error {
	shared = b
	if err := fleet.CreateNodes(ctx, b.Client, []fleet.Pool{pool}); err != nil {
		return fmt.Errorf("create nodes: %w", err)
	}
	err := b.CreateNamespace(ctx, namespace, map[string]string{box.LabelAdmission: "enforce"})
	if err != nil {
		return err
	}
	gangs := map[string]any{"mode": "Enforce"}
	if *native {
		gangs["hold"] = "PodGroup"
	}
	webhook, err = b.NewAdmission("webhook", map[string]any{
		"policies": map[string]any{"gangs": gangs}})
	if err != nil {
		return err
	}
	if err := webhook.Start(ctx); err != nil {
		return err
	}
	registration := box.Registration{Name: "berth", Probe: namespace, Planner: controllerUser,
		FailurePolicy: policy}
	if err := b.RegisterAdmission(ctx, registration, webhook); err != nil {
		return err
	}
	if controller, err = newController(ctx, b, "controller", timeout); err != nil {
		return err
	}
	return controller.Start(ctx)
}

func newController(
	ctx context.Context, b *box.Box, name string, timeout time.Duration,
) (*box.Controller, error) {
	made, err := b.NewController(name, config(timeout))
	if err != nil {
		return nil, err
	}
	return made, b.GrantController(ctx, made)
}

// config has the keys that extender and controller share. Each broken node counts, however many of
// the pool they are.
func config(timeout time.Duration) map[string]any {
	return map[string]any{
		"planner": map[string]any{
			"schedulers": []string{corev1.DefaultSchedulerName},
			"gangs": map[string]any{"enabled": true, "timeout": timeout.String(),
				"podGroups": *native},
			"topology": []map[string]any{{"label": fleet.LabelRack}},
		},
		"controller": map[string]any{
			"lease": map[string]any{"namespace": metav1.NamespaceDefault}},
		"health": map[string]any{"breaker": map[string]any{"fraction": 1}},
	}
}

func pool() fleet.Pool {
	v100 := fleet.Reference()[0]
	v100.Nodes, v100.Labelled, v100.RackNodes = nodes, true, rackNodes
	return v100
}
