//go:build long

package chaos

import (
	"context"
	"flag"
	"slices"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"berth.dev/berth/tests/e2e/box"
	"berth.dev/berth/tests/e2e/churn"
	"berth.dev/berth/tests/e2e/fleet"
	"berth.dev/berth/tests/e2e/judge"
)

var (
	nodeCount = flag.Int("nodes", 200, "nodes of the cluster, in the reference cluster's proportions")
	podCount  = flag.Int("pods", 1200, "pods that come and go")
)

const seed = 1

// On 1,000 nodes; smaller clusters get fewer in proportion. About half of the devices are in use.
const (
	podInterval   = 17 * time.Millisecond
	faultInterval = 200 * time.Millisecond
)

var (
	lives  = churn.Span{Least: 10 * time.Second, Most: 30 * time.Second}
	faults = churn.Span{Least: 6 * time.Second, Most: 20 * time.Second}
)

// Beyond its life a pod has ended after this long, or KWOK has missed that it was bound.
const stall = time.Minute

// What was decided before a fault, or before Berth heard of it, may be bound so long after it:
// kube-apiserver is restarted, and everything shares two cores with it. Half of the shortest fault.
const loadedGrace = 3 * time.Second

// Pods come and go, nodes break and are repaired all the while. Berth is killed twice, kube-apiserver
// once, and Berth's watch of nodes is silent for a while. Afterwards no pod may have been bound to a
// node that Berth could know to be broken, and none may be lost.
func TestEverythingAtOnce(t *testing.T) {
	c := start(t)
	pods := fleet.Workload(seed, *podCount)
	churn.Limit(pods, seed, lives)
	storm := churn.StartStorm(t.Context(), c.box.Client, churn.Weather{
		Nodes: c.acceleratorNodes(), Every: scaled(faultInterval), Lasts: faults, Seed: seed})
	defer storm.Stop(context.Background())
	var held *box.Link
	begin := time.Now()
	events := map[int]func(){
		percent(15): c.box.Berth.Kill,
		percent(17): func() { c.Check("start Berth", c.box.Berth.Start(t.Context())) },
		percent(40): func() { c.restartAPIServer(storm) },
		percent(55): func() { held = c.silenceNodes() },
		percent(60): func() { c.hearNodes(held) },
		percent(80): c.box.Berth.Kill,
		percent(82): func() { c.Check("start Berth", c.box.Berth.Start(t.Context())) },
	}
	c.Check("create pods", churn.Create(t.Context(), c.box.Client, pods, scaled(podInterval),
		func(index int) error {
			if happens := events[index]; happens != nil {
				happens()
			}
			return nil
		}))
	c.Check("end the storm", storm.Stop(t.Context()))
	t.Logf("%d pods created in %.0f s", len(pods), time.Since(begin).Seconds())
	c.expectAllSucceed(pods)
	t.Logf("the last of them ended after %.0f s", time.Since(begin).Seconds())
	c.expectNothingUsed()
	c.expectSound(storm.Begun())
	c.expectTrueReasons()
}

func scaled(interval time.Duration) time.Duration {
	return interval * 1000 / time.Duration(*nodeCount)
}

func percent(share int) int { return *podCount * share / 100 }

// expectAllSucceed waits until every pod has run on a node to its end.
func (c *cluster) expectAllSucceed(pods []*corev1.Pod) {
	c.Helper()
	box.HoldsWithin(patience, func() bool { return c.none("spec.nodeName=") })
	ended := func() bool { return c.none("status.phase!=Succeeded") }
	if !box.HoldsWithin(lives.Most+stall, ended) {
		c.Logf("KWOK has forgotten a pod and is started again")
		c.restartKwok()
		box.HoldsWithin(lives.Most+stall, ended)
	}
	list, err := c.box.Client.CoreV1().Pods(metav1.NamespaceDefault).
		List(c.Context(), metav1.ListOptions{})
	c.Check("list pods", err)
	found := map[string]corev1.Pod{}
	for _, pod := range list.Items {
		found[pod.Name] = pod
	}
	lost := slices.DeleteFunc(slices.Clone(pods), func(p *corev1.Pod) bool {
		pod := found[p.Name]
		return pod.Spec.NodeName != "" && pod.Status.Phase == corev1.PodSucceeded
	})
	for _, pod := range lost[:min(10, len(lost))] {
		if last, exists := found[pod.Name]; exists {
			c.Errorf("%s on node %q is not Succeeded but %s: %v", pod.Name, last.Spec.NodeName,
				last.Status.Phase, last.Status.Conditions)
		} else {
			c.Errorf("%s is lost", pod.Name)
		}
	}
	if len(lost) > 0 {
		c.Fatalf("%d pods have not ended well", len(lost))
	}
}

// none tells whether no pod is selected.
func (c *cluster) none(selector string) bool {
	c.Helper()
	pods, err := c.box.Client.CoreV1().Pods(metav1.NamespaceDefault).List(c.Context(),
		metav1.ListOptions{FieldSelector: selector, Limit: 1})
	c.Check("list pods", err)
	return len(pods.Items) == 0
}

// expectNothingUsed waits until Berth knows that all pods have ended: none leaks through restarts.
func (c *cluster) expectNothingUsed() {
	c.Helper()
	c.Await("Berth to count no device in use", func() bool {
		samples, err := c.box.Berth.Metrics(c.Context())
		return err == nil && samples.Sum("berth_accelerator_devices", `state="used"`) == 0
	})
}

// expectSound fails the test for every pod on a node that Berth knew to be broken when it decided, and
// for those decided before long after the fault: then news of it have taken too long. It shows how
// many were bound before Berth could know.
func (c *cluster) expectSound(begun int) {
	c.Helper()
	report := c.judge.Report()
	latest, unheard := time.Duration(0), 0
	for _, p := range report.With(judge.InFlight) {
		switch {
		case c.silence.hides(p):
			unheard++
		case p.After < loadedGrace:
			latest = max(latest, p.After)
		default:
			c.Errorf("%s was bound to %s by a decision that knew nothing of %s, which was there for %s",
				p.Pod, p.Node, p.Condition, p.After)
		}
	}
	for _, p := range slices.Concat(report.With(judge.Broken), report.With(judge.Unclear)) {
		c.Errorf("%s on %s is %v: %s there for %s", p.Pod, p.Node, p.Verdict, p.Condition, p.After)
	}
	c.Logf("%d placements, %d faults; %d pods bound to nodes that broke after the decision, the latest "+
		"after %v, %d of them while Berth's watch was silent for %v",
		len(report), begun, len(report.With(judge.InFlight)), latest.Round(time.Millisecond),
		unheard, c.silence.length().Round(100*time.Millisecond))
	if len(report) != *podCount {
		c.Errorf("the judge saw %d placements, want %d", len(report), *podCount)
	}
}
