//go:build cluster

// The chart on a real node: `make check-cluster`.
package node

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"berth.dev/berth/tests/e2e/box"
	"berth.dev/berth/tests/e2e/fleet"
)

const (
	awaitTimeout = 2 * time.Minute
	namespace    = box.KubeletNamespace
)

// chartValues make all of Berth fit a node of two cores, and keep it off KWOK's nodes. Gangs on two
// nodes have a preflight.
const chartValues = `
nodeSelector: {` + box.LabelRealNode + `: "true"}
scheduler: {resources: {cpu: 100m, memory: 256Mi}}
extender: {resources: {cpu: 100m, memory: 128Mi}}
admission: {resources: {cpu: 100m, memory: 128Mi}}
controller: {resources: {cpu: 100m, memory: 128Mi}}
config:
  admission: {policies: {gangs: {mode: Enforce}}}
  planner:
    gangs:
      enabled: true
      preflight: {image: "` + trainerImage + `", command: [trainer, meet], timeout: 100s}
    # The dashboard shows the levels of the topology over which gangs are spread.
    topology: [{label: topology.kubernetes.io/rack}]
`

var (
	shared  *box.Box
	missing string // why there is no node
	// realNode is the one that is no KWOK's.
	realNode *Node
	ours     shipped
)

func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
	if missing = Missing(); missing != "" {
		return m.Run() // every test says so
	}
	if !Inside() {
		code, err := Enter()
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
		}
		return code
	}
	var err error
	if ours, err = findShipped(); err == nil {
		err = SetUp()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return box.RunSuite(m, box.Suite{
		Options: box.Options{NodeAddress: Address, Stages: fleet.Stages},
		Fill: func(ctx context.Context, b *box.Box) (err error) {
			shared = b
			if realNode, err = Start(ctx, b); err != nil {
				return err
			}
			if err := realNode.Import(ctx, ours.archive); err != nil {
				return err
			}
			if err := fleet.CreateNodes(ctx, b.Client, fleet.Small(1)); err != nil {
				return err
			}
			return install(ctx, b)
		},
		Stop: func() {
			if realNode != nil {
				realNode.Stop()
			}
		},
	})
}

// install does it from the archive of the chart, as users do.
func install(ctx context.Context, b *box.Box) error {
	values := filepath.Join(b.Dir, "values.yaml")
	if err := writeAll(map[string]string{values: chartValues}); err != nil {
		return err
	}
	_, err := b.Helm(ctx, "install", "berth", ours.chart, "--create-namespace", "--wait",
		"--timeout", "3m", "--values", values)
	return err
}

// world is the cluster as a test sees it.
type world struct{ box.Test }

// enter skips the test where there is no node.
func enter(t *testing.T) *world {
	t.Helper()
	if missing != "" {
		t.Skip(missing)
	}
	return &world{box.Test{T: t, Timeout: awaitTimeout}}
}

// awaitNone waits until there are none of these.
func (w *world) awaitNone(what string, left func(context.Context) ([]string, error)) {
	w.Helper()
	var found []string
	defer func() {
		if len(found) > 0 {
			w.Logf("%s: %v", what, found)
		}
	}()
	w.Await("no more "+what, func() bool {
		var err error
		found, err = left(w.Context())
		return err == nil && len(found) == 0
	})
}

func (w *world) pods(namespace, selector string) []corev1.Pod {
	w.Helper()
	pods, err := shared.Client.CoreV1().Pods(namespace).List(w.Context(),
		metav1.ListOptions{LabelSelector: selector})
	w.Check("list pods", err)
	return pods.Items
}
