//go:build long

package chaos

import (
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"berth.dev/berth/tests/e2e/churn"
	"berth.dev/berth/tests/e2e/fleet"
)

// wish is what a pod asks for that has to wait.
type wish struct {
	ask fleet.Ask
	// why not this node: the reason that has to be counted for it.
	why func(corev1.Node) string
}

// expectTrueReasons creates pods that have to wait on the cluster, which is empty by now, and holds
// the reasons that kube-scheduler counts against the nodes as they are.
func (c *cluster) expectTrueReasons() {
	c.Helper()
	c.breakAll("NVIDIA-A100-SXM4-80GB")
	for _, wish := range []wish{
		{fleet.Ask{Name: "waits-for-repair", Accelerators: []string{"A100"}, Memory: "80Gi",
			Resource: fleet.ResourceGPU, Devices: 4, Cores: 1, MemoryGiB: 1}, whyNotA100With80GiB},
		{fleet.Ask{Name: "waits-for-p100", Accelerators: []string{"P100"},
			Resource: fleet.ResourceGPU, Devices: 1, Cores: 1, MemoryGiB: 1}, whyNotP100},
		{fleet.Ask{Name: "waits-for-ever", Resource: fleet.ResourceMNCore, Devices: 5, Cores: 1,
			MemoryGiB: 1}, func(corev1.Node) string { return "Insufficient preferred.jp/mncore" }},
	} {
		c.expectReasons(wish)
	}
}

// breakAll puts a condition on every node of a product, and waits until Berth knows of all.
func (c *cluster) breakAll(product string) {
	c.Helper()
	count := 0.0
	for i, node := range c.nodes() {
		if node.Labels[fleet.LabelProduct] == product {
			condition := churn.Excluding[i%len(churn.Excluding)]
			c.Check("break", fleet.SetCondition(c.Context(), c.box.Client, node.Name, condition, true))
			count++
		}
	}
	c.Await("Berth to know of the broken nodes", func() bool {
		samples, err := c.box.Berth.Metrics(c.Context())
		return err == nil && samples.Sum("berth_nodes_by_condition", `effect="Exclude"`) == count
	})
}

func whyNotA100With80GiB(node corev1.Node) string {
	switch product := node.Labels[fleet.LabelProduct]; {
	case !has(node, fleet.ResourceGPU, 4):
		return "Insufficient nvidia.com/gpu"
	case strings.HasPrefix(product, "Tesla-V100"):
		return "node(s) had accelerator V100, not one the pod asks for"
	case product == "NVIDIA-A30":
		return "node(s) had accelerator A30, not one the pod asks for"
	case product == "NVIDIA-A100-SXM4-40GB":
		return "node(s) had less accelerator memory than the pod's minimum"
	}
	for _, condition := range node.Status.Conditions {
		bad := slices.Contains(churn.Excluding, string(condition.Type))
		if bad && condition.Status == corev1.ConditionTrue {
			return "node(s) had condition " + string(condition.Type)
		}
	}
	return "(nothing)"
}

func whyNotP100(node corev1.Node) string {
	if !has(node, fleet.ResourceGPU, 1) {
		return "Insufficient nvidia.com/gpu"
	}
	return "pod annotation berth.dev/accelerators names a model that Berth's catalogue lacks"
}

func has(node corev1.Node, name string, devices int64) bool {
	have := node.Status.Allocatable[corev1.ResourceName(name)]
	return have.Cmp(*resource.NewQuantity(devices, resource.DecimalSI)) >= 0
}

// expectReasons creates a pod with the wish and waits for a message that counts every node for the
// reason that is true of it.
func (c *cluster) expectReasons(w wish) {
	c.Helper()
	nodes := c.nodes()
	counts := map[string]int{}
	for _, node := range nodes {
		counts[w.why(node)]++
	}
	api := c.box.Client.CoreV1().Pods(metav1.NamespaceDefault)
	_, err := api.Create(c.Context(), w.ask.Pod(w.ask.Name), metav1.CreateOptions{})
	c.Check("create "+w.ask.Name, err)
	message := ""
	c.Await("a reason why "+w.ask.Name+" waits", func() bool {
		pod, err := api.Get(c.Context(), w.ask.Name, metav1.GetOptions{})
		c.Check("get "+w.ask.Name, err)
		message = whyUnscheduled(pod)
		return message != ""
	})
	if want := fmt.Sprintf("0/%d nodes are available: ", len(nodes)); !strings.HasPrefix(message, want) {
		c.Errorf("%s: message %q, want it to begin with %q", w.ask.Name, message, want)
	}
	for reason, count := range counts { // together they are all nodes
		if want := fmt.Sprintf(" %d %s", count, reason); !strings.Contains(message, want) {
			c.Errorf("%s: message %q, want %q in it", w.ask.Name, message, want)
		}
	}
}

func whyUnscheduled(pod *corev1.Pod) string {
	for _, condition := range pod.Status.Conditions {
		if condition.Type == corev1.PodScheduled && condition.Status == corev1.ConditionFalse {
			return condition.Message
		}
	}
	return ""
}

func (c *cluster) nodes() []corev1.Node {
	c.Helper()
	list, err := c.box.Client.CoreV1().Nodes().List(c.Context(), metav1.ListOptions{})
	c.Check("list nodes", err)
	return list.Items
}
