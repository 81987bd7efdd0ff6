package e2e

import (
	"fmt"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"

	"berth.dev/berth/tests/e2e/box"
	"berth.dev/berth/tests/e2e/fleet"
	"berth.dev/berth/tests/e2e/judge"
)

const (
	pollInterval = 50 * time.Millisecond
	awaitTimeout = 30 * time.Second
)

// world is a box as a test sees it: with a judge who has seen everything since the test began.
type world struct {
	box.Test
	box   *box.Box
	judge *judge.Judge
}

func newWorld(t *testing.T, b *box.Box) *world {
	return &world{Test: box.Test{T: t, Timeout: awaitTimeout}, box: b}
}

// fresh is the shared box without pods and events and with every node well, and Berth knowing it.
func fresh(t *testing.T) *world {
	t.Helper()
	w := newWorld(t, shared)
	w.Check("delete pods", w.box.Client.CoreV1().Pods(metav1.NamespaceDefault).DeleteCollection(
		t.Context(), metav1.DeleteOptions{GracePeriodSeconds: new(int64)}, metav1.ListOptions{}))
	w.Await("pods to be gone", func() bool { return len(w.pods()) == 0 })
	w.Check("delete events", w.box.Client.CoreV1().Events(metav1.NamespaceDefault).DeleteCollection(
		t.Context(), metav1.DeleteOptions{}, metav1.ListOptions{}))
	var ill, used float64
	defer func() {
		if w.Failed() {
			w.Logf("Berth says that %v nodes have a condition, and that %v devices are used", ill, used)
		}
	}()
	healed := time.Now()
	w.Await("Berth to know that all is well", func() bool {
		if w.heal() { // again: a stage of the test before may still be at work
			healed = time.Now()
		}
		if ill > 0 && time.Since(healed) > 3*time.Second {
			// Berth keeps for minutes the effect of what it has seen for long; a new process has seen nothing.
			w.box.Berth.Stop()
			w.Check("start Berth anew", w.box.Berth.Start(t.Context()))
			healed = time.Now()
		}
		ill = w.metric("berth_nodes_by_condition")
		used = w.metric("berth_accelerator_devices", `state="used"`)
		return ill == 0 && used == 0
	})
	return w.judged()
}

// judged starts a judge over the world for the rest of the test.
func (w *world) judged() *world {
	w.Helper()
	j, err := judge.Start(w.Context(), w.box.Client, judge.ExcludingRules(), box.ManagedResources,
		w.box.DecisionsAddress())
	w.Check("start the judge", err)
	w.Cleanup(j.Stop)
	w.judge = j
	return w
}

// heal takes every fault off, as if it had been gone for an hour: recovery is over. It returns whether
// there was any.
func (w *world) heal() (found bool) {
	w.Helper()
	nodes, err := w.box.Client.CoreV1().Nodes().List(w.Context(), metav1.ListOptions{})
	w.Check("list nodes", err)
	for _, node := range nodes.Items {
		if node.Annotations[fleet.FaultAnnotation] != "" {
			w.Check("end the stage", fleet.SetFaultStage(w.Context(), w.box.Client, node.Name, ""))
			found = true
		}
		if conditions := healed(node.Status.Conditions); len(conditions) > 0 {
			w.Check("heal "+node.Name,
				fleet.PatchCondition(w.Context(), w.box.Client, node.Name, conditions...))
			found = true
		}
	}
	return found
}

// healed are the conditions that were a fault during the last hour, with the fault long gone.
func healed(conditions []corev1.NodeCondition) []corev1.NodeCondition {
	var changed []corev1.NodeCondition
	hourAgo := time.Now().Add(-time.Hour)
	for _, condition := range conditions {
		isKubelets := strings.HasPrefix(condition.Reason, "Kubelet")
		if !isKubelets && condition.LastTransitionTime.After(hourAgo) {
			condition.Status = corev1.ConditionFalse
			condition.LastTransitionTime = metav1.NewTime(hourAgo)
			changed = append(changed, condition)
		}
	}
	return changed
}

// create makes pods; each has a name of its own.
func (w *world) create(pods ...*corev1.Pod) {
	w.Helper()
	for _, pod := range pods {
		_, err := w.box.Client.CoreV1().Pods(pod.Namespace).Create(w.Context(), pod,
			metav1.CreateOptions{})
		w.Check("create "+pod.Name, err)
	}
}

func (w *world) pods() []corev1.Pod {
	w.Helper()
	list, err := w.box.Client.CoreV1().Pods(metav1.NamespaceDefault).
		List(w.Context(), metav1.ListOptions{})
	w.Check("list pods", err)
	return list.Items
}

// nodeOf is the node of a pod, empty while it has none.
func (w *world) nodeOf(pod *corev1.Pod) string {
	w.Helper()
	got, err := w.box.Client.CoreV1().Pods(pod.Namespace).Get(w.Context(), pod.Name,
		metav1.GetOptions{})
	w.Check("get "+pod.Name, err)
	return got.Spec.NodeName
}

// placed waits until the pod has a node and returns it.
func (w *world) placed(pod *corev1.Pod) string {
	w.Helper()
	node := ""
	w.Await("a node for "+pod.Name, func() bool { node = w.nodeOf(pod); return node != "" })
	return node
}

// place creates a pod and returns the node that it got.
func (w *world) place(pod *corev1.Pod) string {
	w.Helper()
	w.create(pod)
	return w.placed(pod)
}

// refused creates a pod, waits until kube-scheduler says why it finds no node for it, and returns
// what it says.
func (w *world) refused(pod *corev1.Pod) string {
	w.Helper()
	w.create(pod)
	return w.event(pod)
}

func (w *world) event(pod *corev1.Pod) string {
	w.Helper()
	message := ""
	w.Await("a FailedScheduling event of "+pod.Name, func() bool {
		events, err := w.box.Client.CoreV1().Events(pod.Namespace).List(w.Context(),
			metav1.ListOptions{FieldSelector: fields.Set{
				"involvedObject.name": pod.Name, "reason": "FailedScheduling",
			}.String()})
		w.Check("list events", err)
		if len(events.Items) > 0 {
			message = events.Items[0].Message
		}
		return message != ""
	})
	if node := w.nodeOf(pod); node != "" {
		w.Fatalf("%s got %s, although its event says %s", pod.Name, node, message)
	}
	return message
}

// breaks puts a condition on nodes and waits until Berth knows that the effect holds on all.
func (w *world) breaks(condition, effect string, nodes ...string) {
	w.Helper()
	for _, node := range nodes {
		w.Check("break "+node,
			fleet.SetCondition(w.Context(), w.box.Client, node, condition, true))
	}
	w.awaitEffect(condition, effect, len(nodes))
}

// repairs takes a condition off nodes.
func (w *world) repairs(condition string, nodes ...string) {
	w.Helper()
	for _, node := range nodes {
		w.Check("repair "+node,
			fleet.SetCondition(w.Context(), w.box.Client, node, condition, false))
	}
}

// awaitEffect waits until Berth counts so many nodes on which the condition has the effect.
func (w *world) awaitEffect(condition, effect string, nodes int) {
	w.Helper()
	w.Await(fmt.Sprintf("Berth to know of %d nodes with %s", nodes, condition), func() bool {
		return w.metric("berth_nodes_by_condition", fmt.Sprintf("condition=%q", condition),
			fmt.Sprintf("effect=%q", effect)) == float64(nodes)
	})
}

// allSound fails the test if the judge has seen anything else than sound placements.
func (w *world) allSound() {
	w.Helper()
	for _, p := range w.judge.Report() {
		if p.Verdict == judge.Broken || p.Verdict == judge.Unclear {
			w.Errorf("%s on %s is %v: %s there for %s", p.Pod, p.Node, p.Verdict, p.Condition, p.After)
		}
	}
}
