package planner

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strconv"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"berth.dev/berth/tests/e2e/box"
	"berth.dev/berth/tests/e2e/fleet"
)

// What pods of the property test choose nodes by.
const (
	labelRack  = "e2e.berth.dev/rack"
	labelSlots = "e2e.berth.dev/slots"
	racks      = 4
	rackNodes  = 12 // so few that not all pods fit
)

// What the planner promises of any pods and nodes, kube-scheduler keeps: it binds each pod where it
// was nominated. It is away while the planner nominates, so that all nominations have to hold
// together. None is left to kube-scheduler: what that has just placed by itself, the planner may
// promise once more before it sees it.
func TestWhatIsPlannedIsBound(t *testing.T) {
	fresh(t).planBacklogs(map[string]any{"pods": 0})
	for seed := range seeds {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			random := rand.New(rand.NewPCG(uint64(seed), 0))
			w := fresh(t)
			w.changeNodes(random)
			shared.Scheduler.Stop()
			const count = 260
			w.Check("create pods", fleet.CreatePods(w.Context(), shared.Client, randomPods(random, count)))
			promised := w.awaitPlan(count)
			w.Check("start kube-scheduler", shared.Scheduler.Start(t.Context()))
			box.HoldsWithin(awaitTimeout, func() bool { return len(w.elsewhere(promised)) == 0 })
			for _, pod := range w.elsewhere(promised) {
				t.Errorf("%s was planned on %s, and is on %q; nominated: %q; its conditions: %+v", pod.Name,
					promised[pod.Name], pod.Spec.NodeName, pod.Status.NominatedNodeName,
					pod.Status.Conditions)
			}
		})
	}
}

// awaitPlan waits until the planner has made something of each pod, and returns the nodes that it
// has nominated, by the pods' names.
func (w *world) awaitPlan(pods int) map[string]string {
	w.Helper()
	var standing, without float64
	var promised map[string]string
	w.Await(fmt.Sprintf("a plan of %d pods, and its nominations", pods), func() bool {
		samples, err := controller.Metrics(w.Context())
		w.Check("scrape the controller", err)
		in := func(state string) float64 {
			return samples.Sum("berth_planner_pods", `state="`+state+`"`)
		}
		standing, without, promised = in("nominated"), in("no_node"), w.nominations()
		return standing+without == float64(pods) && len(promised) == int(standing)
	})
	w.Logf("%v pods are nominated, %v fit no node", standing, without)
	if standing < 50 || without < 20 {
		w.Errorf("%v pods are nominated, and %v fit no node: too few to show anything", standing, without)
	}
	return promised
}

// nominations are the nominated nodes, by the pods' names.
func (w *world) nominations() map[string]string {
	w.Helper()
	nodes := map[string]string{}
	for _, pod := range w.pods() {
		if node := pod.Status.NominatedNodeName; node != "" {
			nodes[pod.Name] = node
		}
	}
	return nodes
}

// elsewhere are the pods that are not on the node that they were promised.
func (w *world) elsewhere(promised map[string]string) (pods []corev1.Pod) {
	w.Helper()
	for _, pod := range w.pods() {
		if want := promised[pod.Name]; want != "" && pod.Spec.NodeName != want {
			pods = append(pods, pod)
		}
	}
	return pods
}

// changeNodes cordons, taints and labels some nodes at random until the test ends.
func (w *world) changeNodes(random *rand.Rand) {
	w.Helper()
	pool := pools()[0]
	for i := range racks * rackNodes {
		spec := map[string]any{"unschedulable": random.IntN(12) == 0, "taints": randomTaints(random)}
		labels := map[string]any{labelRack: fmt.Sprint("r", i%racks), labelSlots: nil}
		if random.IntN(3) > 0 {
			labels[labelSlots] = strconv.Itoa(random.IntN(20))
		}
		w.patchNode(pool.NodeName(i), labels, spec)
	}
	w.Cleanup(func() {
		for i := range racks * rackNodes {
			w.patchNode(pool.NodeName(i), map[string]any{labelRack: nil, labelSlots: nil},
				map[string]any{"unschedulable": nil, "taints": nil})
		}
	})
}

func (w *world) patchNode(name string, labels, spec map[string]any) {
	w.Helper()
	patch, err := json.Marshal(map[string]any{
		"metadata": map[string]any{"labels": labels}, "spec": spec})
	w.Check("write a patch", err)
	// The test's own context has ended when its cleanup runs.
	_, err = shared.Client.CoreV1().Nodes().Patch(context.WithoutCancel(w.Context()), name,
		types.MergePatchType, patch, metav1.PatchOptions{})
	w.Check("patch "+name, err)
}

func randomTaints(random *rand.Rand) []corev1.Taint {
	var taints []corev1.Taint
	if random.IntN(4) == 0 {
		taints = append(taints, corev1.Taint{Key: "team", Value: fmt.Sprint(random.IntN(2)),
			Effect: corev1.TaintEffectNoSchedule})
	}
	if random.IntN(6) == 0 {
		taints = append(taints, corev1.Taint{Key: "busy", Effect: corev1.TaintEffectPreferNoSchedule})
	}
	return taints
}

// randomPods makes pods of one to eight devices, most of which want a rack.
func randomPods(random *rand.Rand, count int) []*corev1.Pod {
	pods := make([]*corev1.Pod, count)
	for i := range pods {
		ask := fleet.Ask{Name: "any", Accelerators: []string{"V100"}, Resource: fleet.ResourceGPU,
			Devices: 1 << random.IntN(4), Cores: 1, MemoryGiB: 4 + 60*random.Int64N(2)}
		pod := ask.Pod(fmt.Sprintf("planned-%03d", i))
		if random.IntN(5) > 0 {
			pod.Spec.NodeSelector = map[string]string{labelRack: fmt.Sprint("r", random.IntN(racks))}
		}
		if random.IntN(3) == 0 {
			pod.Spec.Affinity = randomAffinity(random)
		}
		pod.Spec.Tolerations = randomTolerations(random)
		changeContainers(random, &pod.Spec)
		pods[i] = pod
	}
	return pods
}

// changeContainers adds what counts beside a container's resources: ports of the node, and containers
// that run before the others or beside them.
func changeContainers(random *rand.Rand, spec *corev1.PodSpec) {
	first := &spec.Containers[0]
	if random.IntN(3) == 0 {
		port := 7000 + random.Int32N(4)
		first.Ports = []corev1.ContainerPort{{ContainerPort: port, HostPort: port,
			HostIP: []string{"", "127.0.0.1"}[random.IntN(2)]}}
	}
	if random.IntN(3) == 0 {
		before := corev1.Container{Name: "before", Image: first.Image}
		before.Resources.Requests = corev1.ResourceList{
			corev1.ResourceCPU: *resource.NewQuantity(1+random.Int64N(30), resource.DecimalSI)}
		if random.IntN(2) == 0 {
			before.RestartPolicy = new(corev1.ContainerRestartPolicyAlways)
		}
		spec.InitContainers = []corev1.Container{before}
	}
}

func randomAffinity(random *rand.Rand) *corev1.Affinity {
	requirements := []corev1.NodeSelectorRequirement{
		{Key: labelSlots, Operator: corev1.NodeSelectorOpGt, Values: []string{"9"}},
		{Key: labelSlots, Operator: corev1.NodeSelectorOpLt, Values: []string{"9"}},
		{Key: labelSlots, Operator: corev1.NodeSelectorOpExists},
		{Key: labelSlots, Operator: corev1.NodeSelectorOpDoesNotExist},
		{Key: labelRack, Operator: corev1.NodeSelectorOpNotIn, Values: []string{"r0", "r1"}},
		{Key: labelRack, Operator: corev1.NodeSelectorOpIn, Values: []string{"r1", "r2"}},
	}
	terms := make([]corev1.NodeSelectorTerm, 1+random.IntN(2))
	for i := range terms {
		for range 1 + random.IntN(2) {
			terms[i].MatchExpressions = append(terms[i].MatchExpressions,
				requirements[random.IntN(len(requirements))])
		}
	}
	return &corev1.Affinity{NodeAffinity: &corev1.NodeAffinity{
		RequiredDuringSchedulingIgnoredDuringExecution: &corev1.NodeSelector{NodeSelectorTerms: terms}}}
}

func randomTolerations(random *rand.Rand) []corev1.Toleration {
	switch random.IntN(6) {
	case 0:
		return []corev1.Toleration{{Operator: corev1.TolerationOpExists}}
	case 1:
		return []corev1.Toleration{{Key: "team", Operator: corev1.TolerationOpExists,
			Effect: corev1.TaintEffectNoSchedule}}
	case 2:
		return []corev1.Toleration{{Key: "team", Value: "1"}}
	}
	return nil
}
