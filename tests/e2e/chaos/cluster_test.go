//go:build long

package chaos

import (
	"errors"
	"fmt"
	"testing"
	"time"

	schedulerconfig "k8s.io/kube-scheduler/config/v1"

	"berth.dev/berth/tests/e2e/box"
	"berth.dev/berth/tests/e2e/churn"
	"berth.dev/berth/tests/e2e/fleet"
	"berth.dev/berth/tests/e2e/judge"
)

const (
	patience  = 4 * time.Minute // for what the cluster has to work off
	silent    = 3 * time.Second // heartbeats come many times a second
	trialTime = 2 * silent
)

// cluster is a box whose Berth reaches kube-apiserver through a proxy.
type cluster struct {
	box.Test
	pools   []fleet.Pool
	box     *box.Box
	proxy   *box.Proxy
	judge   *judge.Judge
	silence window
}

// window is while Berth heard nothing of nodes.
type window struct{ from, to time.Time }

func (w window) length() time.Duration { return w.to.Sub(w.from) }

// hides tells whether the node broke in the window and the pod was bound before Berth could know.
func (w window) hides(p judge.Placement) bool {
	began := p.Bound.Add(-p.After)
	return began.After(w.from) && p.Bound.Before(w.to.Add(loadedGrace))
}

func start(t *testing.T) *cluster {
	t.Helper()
	c := &cluster{Test: box.Test{T: t, Timeout: patience}, pools: fleet.Scaled(*nodeCount)}
	t.Cleanup(c.stopProxy)
	c.box = box.ForTest(t, box.Options{
		Berth:  &box.BerthOptions{Kubeconfig: c.throughProxy},
		Stages: fleet.Stages + "\n---\n" + churn.Stages,
		Scheduler: func(config *schedulerconfig.KubeSchedulerConfiguration) {
			// No controller plans here; and a bound to how long a pod waits for its next attempt.
			config.PercentageOfNodesToScore = new(int32(100))
			config.PodMaxBackoffSeconds = new(int64(2))
		},
	})
	begin := time.Now()
	c.Check("create nodes", fleet.CreateNodes(t.Context(), c.box.Client, c.pools))
	t.Logf("%d nodes in %.1f s", *nodeCount, time.Since(begin).Seconds())
	var err error
	c.judge, err = judge.Start(t.Context(), c.box.Client, judge.ExcludingRules(), box.ManagedResources,
		c.box.DecisionsAddress())
	c.Check("start the judge", err)
	t.Cleanup(c.judge.Stop)
	c.startController()
	return c
}

// startController has refused pods tried again where kube-scheduler heard of a repair before Berth
// did. Without it they wait for kube-scheduler's own flush, longer than patience.
func (c *cluster) startController() {
	c.Helper()
	controller, err := c.box.NewController("controller", nil)
	c.Check("configure the controller", err)
	c.Check("start the controller", errors.Join(c.box.GrantController(c.Context(), controller),
		controller.Start(c.Context())))
}

func (c *cluster) throughProxy(b *box.Box) (string, error) {
	var err error
	if c.proxy, err = box.StartProxy(b.APIAddress()); err != nil {
		return "", err
	}
	return b.BerthKubeconfigAt(c.proxy.Address())
}

func (c *cluster) stopProxy() {
	if c.proxy != nil {
		c.proxy.Stop()
	}
}

func (c *cluster) acceleratorNodes() []string {
	var names []string
	for _, pool := range c.pools {
		for index := range pool.Nodes {
			if pool.Accelerator != "" {
				names = append(names, pool.NodeName(index))
			}
		}
	}
	return names
}

// restartAPIServer kills kube-apiserver and starts it again. Nodes are left alone until the judge
// watches again, so that what it misses in between are bindings only.
func (c *cluster) restartAPIServer(storm *churn.Storm) {
	c.Helper()
	resume := storm.Pause()
	defer resume()
	bystander := c.cpuNode()
	c.set(bystander, true)
	c.box.APIServer.Kill()
	c.Check("start kube-apiserver", c.box.APIServer.Start(c.Context()))
	c.set(bystander, false)
	c.restartKwok()
}

// restartKwok has KWOK list all pods: it never sees those that were bound while its watch was broken.
func (c *cluster) restartKwok() {
	c.Helper()
	c.box.Kwok.Kill()
	c.Check("start KWOK", c.box.Kwok.Start(c.Context()))
}

// set breaks or repairs a node and waits until the judge, and with it every watch before, knows.
func (c *cluster) set(node string, broken bool) {
	c.Helper()
	c.Check("patch "+node,
		fleet.SetCondition(c.Context(), c.box.Client, node, "DStateProcess", broken))
	c.Await("the judge to see "+node, func() bool {
		return c.judge.SeesBroken(node, "DStateProcess") == broken
	})
}

func (c *cluster) cpuNode() string {
	for _, pool := range c.pools {
		if pool.Accelerator == "" {
			return pool.NodeName(0)
		}
	}
	c.Fatal("no pool without accelerators")
	return ""
}

// silenceNodes holds back the connection on which Berth watches nodes.
func (c *cluster) silenceNodes() *box.Link {
	c.Helper()
	for _, link := range c.proxy.Links() {
		begin := time.Now()
		link.Hold()
		if box.HoldsWithin(trialTime, func() bool { return c.age("nodes") > silent.Seconds() }) {
			c.silence.from = begin
			return link
		}
		link.Release() // another kind's
	}
	c.Fatal("no connection carries the watch of nodes")
	return nil
}

func (c *cluster) hearNodes(link *box.Link) {
	c.Helper()
	link.Release()
	c.Await("Berth to hear of nodes again", func() bool {
		age := c.age("nodes")
		return age >= 0 && age < 1
	})
	c.silence.to = time.Now()
}

// age is for how many seconds Berth has heard nothing of a kind; negative if it does not answer.
func (c *cluster) age(kind string) float64 {
	samples, err := c.box.Berth.Metrics(c.Context())
	if err != nil {
		return -1
	}
	return samples.Sum("berth_snapshot_age_seconds", fmt.Sprintf("kind=%q", kind))
}
