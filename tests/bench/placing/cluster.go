// Package placing is what measurements of kube-scheduler share: a cluster of many nodes on which it
// starts anew for each measurement, and what a watch tells of the pods that it places.
package placing

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http/httptest"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"berth.dev/berth/tests/bench/figures"
	"berth.dev/berth/tests/e2e/box"
	"berth.dev/berth/tests/e2e/churn"
	"berth.dev/berth/tests/e2e/fleet"
)

const (
	awaitTimeout  = 4 * time.Minute
	deletedAtOnce = 1000
	// One node in so many has a fault for as long as the cluster is there.
	brokenEvery = 33
	// Nodes break and recover while pods are placed, as in life: no cache stays good for ever, and
	// kube-scheduler gets events after which it tries pods.
	faultInterval = time.Second
)

var faultsLast = churn.Span{Least: 2 * time.Second, Most: 10 * time.Second}

// faults are what the broken nodes have: some keep pods away, some only lower the score.
var faults = []string{"GPUIsLost", "GPURuntimeError", "GPUPendingPage", "DStateProcess",
	"PCIeLinkDegraded", "NICLinkFlapping"}

// Options are what a cluster is made of.
type Options struct {
	Nodes      int
	Seed       uint64            // decides which nodes are broken
	Namespaces []string          // of pods, besides default
	NoFaults   bool              // no node is broken from the start
	RackNodes  int               // nodes of a rack, which fleet.LabelRack names. Default: without racks
	Programs   map[string]string // see box.Options
	PodGroups  bool              // see box.Options
	Progress   io.Writer
}

// Cluster has etcd, kube-apiserver and Berth running, kube-scheduler only while something is
// measured: so it has nothing of what was before in its queue and its caches.
type Cluster struct {
	Box         *box.Box
	Controllers []*box.Controller // those that were started once

	options Options
	shipped Shipped
	echo    *httptest.Server // nil: not needed so far
	well    []string         // nodes with accelerators and without a fault
}

// Start makes the cluster and stops all that has no part in placing pods: nothing makes pods run,
// writes heartbeats or taints nodes.
func Start(ctx context.Context, o Options) (*Cluster, error) {
	shipped, err := Ship(ctx)
	if err != nil {
		return nil, err
	}
	b, err := box.Start(ctx, box.Options{Berth: &box.BerthOptions{}, Programs: o.Programs,
		PodGroups: o.PodGroups, Progress: o.Progress})
	if err != nil {
		return nil, err
	}
	c := &Cluster{Box: b, options: o, shipped: shipped}
	if err := c.prepare(ctx); err != nil {
		err = figures.Failed(ctx, b, err)
		c.Stop()
		return nil, err
	}
	return c, nil
}

// Stop ends all of it.
func (c *Cluster) Stop() {
	c.Box.Stop()
	if c.echo != nil {
		c.echo.Close()
	}
}

// Shipped is how the chart configures Berth and its kube-scheduler.
func (c *Cluster) Shipped() Shipped { return c.shipped }

// Nodes is how many there are.
func (c *Cluster) Nodes() int { return c.options.Nodes }

func (c *Cluster) prepare(ctx context.Context) error {
	for _, namespace := range c.options.Namespaces {
		if err := c.Box.CreateNamespace(ctx, namespace, nil); err != nil {
			return err
		}
	}
	for _, process := range []*box.Process{c.Box.Scheduler, c.Box.Kwok, c.Box.ControllerManager} {
		process.Stop()
	}
	begin := time.Now()
	pools := fleet.Scaled(c.options.Nodes)
	for i := range pools {
		pools[i].Labelled, pools[i].RackNodes = true, c.options.RackNodes
	}
	if err := fleet.CreateNodes(ctx, c.Box.Client, pools); err != nil {
		return fmt.Errorf("create nodes: %w", err)
	}
	fmt.Fprintf(c.options.Progress, "%d nodes created in %.0f s\n", c.options.Nodes,
		time.Since(begin).Seconds())
	return c.breakSome(ctx, pools)
}

// breakSome gives nodes that the seed decides a fault each, and remembers the others.
func (c *Cluster) breakSome(ctx context.Context, pools []fleet.Pool) error {
	random := rand.New(rand.NewPCG(c.options.Seed, 6))
	for _, pool := range pools {
		for index := range pool.Nodes {
			name := pool.NodeName(index)
			if pool.Accelerator == "" {
				continue
			}
			if c.options.NoFaults || random.IntN(brokenEvery) != 0 {
				c.well = append(c.well, name)
				continue
			}
			fault := faults[random.IntN(len(faults))]
			if err := fleet.SetCondition(ctx, c.Box.Client, name, fault, true); err != nil {
				return fmt.Errorf("break %s: %w", name, err)
			}
		}
	}
	return nil
}

// StartStorm breaks nodes that are well, one a second, and repairs them; the seed decides which.
func (c *Cluster) StartStorm(ctx context.Context, seed uint64) *churn.Storm {
	return c.StartStormEvery(ctx, seed, faultInterval)
}

// StartStormEvery breaks a node in every interval.
func (c *Cluster) StartStormEvery(
	ctx context.Context, seed uint64, every time.Duration,
) *churn.Storm {
	return churn.StartStorm(ctx, c.Box.Client, churn.Weather{Nodes: c.well, Every: every,
		Lasts: faultsLast, Seed: seed, PatchOnly: true})
}

// AwaitBerth returns when Berth knows the nodes, and of no pod that has one.
func (c *Cluster) AwaitBerth(ctx context.Context) error {
	what := fmt.Sprintf("berth to know %d nodes without pods", c.options.Nodes)
	return box.Poll(ctx, awaitTimeout, what, func(ctx context.Context) (bool, error) {
		samples, err := c.Box.Berth.Metrics(ctx)
		return samples.Sum("berth_nodes") == float64(c.options.Nodes) &&
			samples.Sum("berth_accelerator_devices", `state="used"`) == 0, err
	})
}

// awaitNodes returns when Berth knows the nodes.
func (c *Cluster) awaitNodes(ctx context.Context) error {
	what := fmt.Sprintf("berth to know %d nodes", c.options.Nodes)
	return box.Poll(ctx, awaitTimeout, what, func(ctx context.Context) (bool, error) {
		samples, err := c.Box.Berth.Metrics(ctx)
		return samples.Sum("berth_nodes") == float64(c.options.Nodes), err
	})
}

// Clear deletes all pods and returns when there are none.
func (c *Cluster) Clear(ctx context.Context) error {
	for _, namespace := range append([]string{metav1.NamespaceDefault}, c.options.Namespaces...) {
		if err := c.deletePods(ctx, namespace); err != nil {
			return fmt.Errorf("delete pods: %w", err)
		}
	}
	return box.Poll(ctx, awaitTimeout, "pods to be gone", func(ctx context.Context) (bool, error) {
		left, err := c.Box.Client.CoreV1().Pods(metav1.NamespaceAll).
			List(ctx, metav1.ListOptions{Limit: 1})
		return err == nil && len(left.Items) == 0, err
	})
}

// deletePods deletes some pods at a time: kube-apiserver gives a request one minute, in which it may
// not get through the pods of a full cluster.
func (c *Cluster) deletePods(ctx context.Context, namespace string) error {
	pods := c.Box.Client.CoreV1().Pods(namespace)
	for {
		err := pods.DeleteCollection(ctx, metav1.DeleteOptions{GracePeriodSeconds: new(int64)},
			metav1.ListOptions{Limit: deletedAtOnce})
		if err != nil {
			return err
		}
		left, err := pods.List(ctx, metav1.ListOptions{Limit: 1})
		if err != nil || len(left.Items) == 0 {
			return err
		}
	}
}
