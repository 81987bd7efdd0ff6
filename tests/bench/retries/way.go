package main

import (
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	schedulerconfig "k8s.io/kube-scheduler/config/v1"

	"berth.dev/berth/tests/e2e/fleet"
)

// Who waits for a node while new pods come.
const (
	waitsNobody = "nobody"
	// waitsSaid are pods of a model that no node has, with the node affinity that the webhook writes:
	// kube-scheduler refuses them by itself, and knows which events would change that.
	waitsSaid = "said"
	// waitsUnsaid are pods that want more memory of a device than any has, which is said by annotation
	// alone: Berth refuses them.
	waitsUnsaid = "unsaid"
	// waitsListed and waitsError are the same, where an extender in Go stands for Berth: it refuses
	// them node by node, as Berth does, or answers with an error.
	waitsListed = "listed"
	waitsError  = "error"
)

const (
	labelAccelerator = "berth.dev/accelerator"
	missingModel     = "H100"
	missingMemory    = "200Gi"
)

// way is a configuration of kube-scheduler, and who waits.
type way struct {
	name       string
	shipped    bool // as the chart configures kube-scheduler and Berth, whose controller runs
	everyNode  bool // percentageOfNodesToScore is 100, not the default
	waits      string
	maxBackoff int64 // podMaxBackoffSeconds; 0 where the chart says it
}

// allWays are measured by default.
var allWays = slices.Concat(makeShippedWays(waitsNobody, waitsSaid, waitsUnsaid),
	makeWays(waitsNobody, waitsSaid, waitsUnsaid))

// otherWays are to find what would help.
var otherWays = makeWays(waitsListed, waitsError)

func makeShippedWays(waiting ...string) []way {
	var ways []way
	for _, who := range waiting {
		ways = append(ways, way{name: "shipped-" + who, shipped: true, waits: who})
	}
	return ways
}

func makeWays(waiting ...string) []way {
	var ways []way
	for _, everyNode := range []bool{false, true} {
		for _, who := range waiting {
			for _, maxBackoff := range []int64{10, 60} {
				looking := map[bool]string{false: "default", true: "every"}[everyNode]
				ways = append(ways, way{name: fmt.Sprintf("%s-%s-%d", looking, who, maxBackoff),
					everyNode: everyNode, waits: who, maxBackoff: maxBackoff})
			}
		}
	}
	return ways
}

func wayNames(ways []way) string {
	var names []string
	for _, w := range ways {
		names = append(names, w.name)
	}
	return strings.Join(names, ",")
}

// parseWays reads names that commas separate.
func parseWays(text string) ([]way, error) {
	var ways []way
	known := slices.Concat(allWays, otherWays)
	for name := range strings.SplitSeq(text, ",") {
		at := slices.IndexFunc(known, func(w way) bool { return w.name == strings.TrimSpace(name) })
		if at < 0 {
			return nil, fmt.Errorf("-ways: %q is no way; write some of %s", name, wayNames(known))
		}
		ways = append(ways, known[at])
	}
	return ways, nil
}

// title is the way in words.
func (w way) title() string {
	looking := "default sampling"
	if w.everyNode {
		looking = "every node"
	}
	if w.shipped {
		looking = "as shipped"
	}
	who := map[string]string{
		waitsNobody: "nobody waits",
		waitsSaid:   "refused by kube-scheduler itself",
		waitsUnsaid: "refused by Berth",
		waitsListed: "refused node by node by an extender in Go",
		waitsError:  "answered with an error by an extender in Go",
	}
	return fmt.Sprintf("%s, %s", looking, who[w.waits])
}

// against is the name of the way that differs only in that nobody waits; empty: this one.
func (w way) against() string {
	if w.waits == waitsNobody {
		return ""
	}
	return strings.Replace(w.name, "-"+w.waits, "-"+waitsNobody, 1)
}

// configure has kube-scheduler look for nodes, and back off, as the way says.
func (w way) configure(config *schedulerconfig.KubeSchedulerConfiguration, s *standIn) {
	if w.everyNode {
		config.PercentageOfNodesToScore = new(int32(100))
	}
	config.PodMaxBackoffSeconds = new(w.maxBackoff)
	if w.asksStandIn() {
		s.register(&config.Extenders[0], w.waits)
	}
}

// asksStandIn tells whether another extender stands for Berth.
func (w way) asksStandIn() bool { return w.waits == waitsListed || w.waits == waitsError }

// settles tells whether those who wait are to wait before new pods come: somebody tries them again
// and again, or may.
func (w way) settles() bool {
	return w.waits != waitsNobody && (w.shipped || w.waits != waitsSaid)
}

// refused makes so many pods that no node is for; none where nobody waits.
func (w way) refused(count int) []*corev1.Pod {
	if w.waits == waitsNobody {
		return nil
	}
	pods := make([]*corev1.Pod, count)
	for i := range pods {
		pods[i] = w.refusedOne(fmt.Sprintf("waits-%05d", i))
	}
	return pods
}

func (w way) refusedOne(name string) *corev1.Pod {
	ask := fleet.Ask{Name: w.waits, Resource: fleet.ResourceGPU, Devices: 1, Cores: 4, MemoryGiB: 40}
	if w.waits != waitsSaid {
		ask.Memory = missingMemory
		return ask.Pod(name)
	}
	ask.Accelerators = []string{missingModel}
	pod := ask.Pod(name)
	term := corev1.NodeSelectorTerm{MatchExpressions: []corev1.NodeSelectorRequirement{
		{Key: labelAccelerator, Operator: corev1.NodeSelectorOpIn, Values: ask.Accelerators}}}
	pod.Spec.Affinity = &corev1.Affinity{NodeAffinity: &corev1.NodeAffinity{
		RequiredDuringSchedulingIgnoredDuringExecution: &corev1.NodeSelector{
			NodeSelectorTerms: []corev1.NodeSelectorTerm{term}}}}
	return pod
}
