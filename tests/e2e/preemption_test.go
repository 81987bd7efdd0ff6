package e2e

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
)

// Of several nodes kube-scheduler preempts on the one whose victims have the lowest priority, so
// the test decides which node it would like best.
const (
	cheap    = 1
	cheapish = 10
	dear     = 1000

	checkpointedAt = "berth.dev/checkpointed-at"
)

// ranked gives a pod a priority, by a PriorityClass that is made if it is not there.
func (w *world) ranked(priority int32, pod *corev1.Pod) *corev1.Pod {
	w.Helper()
	class := &schedulingv1.PriorityClass{
		ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("e2e-%d", priority)}, Value: priority,
	}
	_, err := w.box.Client.SchedulingV1().PriorityClasses().Create(w.Context(), class,
		metav1.CreateOptions{})
	if !apierrors.IsAlreadyExists(err) {
		w.Check("create the priority class", err)
	}
	pod.Spec.PriorityClassName = class.Name
	// kube-apiserver admits pods by what its own watch has told it of classes.
	w.Await("the priority class "+class.Name, func() bool {
		_, err := w.box.Client.CoreV1().Pods(pod.Namespace).Create(w.Context(), pod,
			metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
		return !apierrors.IsForbidden(err)
	})
	return pod
}

// fill occupies every node of a pool with two pods of half a node each, and returns them by node.
// Those of the first node have the priority, the others the next one up.
func (w *world) fill(
	pool, model string, half int64, priority int32,
) (first string, byNode map[string][]string) {
	w.Helper()
	byNode = map[string][]string{}
	for index := range nodesOf(pool) {
		for range 2 {
			pod := w.ranked(priority+int32(min(index, 1)), gpus(half, model))
			node := w.place(pod)
			byNode[node] = append(byNode[node], pod.Name)
			if first == "" {
				first = node
			}
		}
	}
	if len(byNode) != nodesPerPool || len(byNode[first]) != 2 {
		w.Fatalf("pool %s is not full as planned: %v", pool, byNode)
	}
	return first, byNode
}

// expectAlive fails the test unless the pods are where they were and nobody wants them gone.
func (w *world) expectAlive(node string, pods []string) {
	w.Helper()
	alive := map[string]bool{}
	for _, pod := range w.pods() {
		alive[pod.Name] = pod.Spec.NodeName == node && pod.DeletionTimestamp == nil
		if alive[pod.Name] && slices.Contains(pods, pod.Name) && evicted(pod) {
			w.Errorf("%s on %s is being evicted", pod.Name, node)
		}
	}
	for _, name := range pods {
		if !alive[name] {
			w.Errorf("%s, which ran on %s, is gone", name, node)
		}
	}
	if victims := w.preempted(pods); len(victims) > 0 {
		w.Errorf("events say that %v on %s were preempted", victims, node)
	}
}

// evicted tells whether the pod has the condition that kube-scheduler sets before it deletes a
// victim.
func evicted(pod corev1.Pod) bool {
	return slices.ContainsFunc(pod.Status.Conditions, func(c corev1.PodCondition) bool {
		return c.Type == corev1.DisruptionTarget && c.Status == corev1.ConditionTrue
	})
}

// awaitVictim waits until an event names one of the pods as a victim, and expects no second one.
func (w *world) awaitVictim(pods []string) {
	w.Helper()
	w.Await(fmt.Sprintf("a victim among %v", pods), func() bool { return len(w.preempted(pods)) > 0 })
	if victims := w.preempted(pods); len(victims) != 1 {
		w.Errorf("victims %v, want one", victims)
	}
}

// preempted lists which of the pods an event calls victims.
func (w *world) preempted(pods []string) []string {
	w.Helper()
	events, err := w.box.Client.CoreV1().Events(metav1.NamespaceDefault).List(w.Context(),
		metav1.ListOptions{FieldSelector: fields.Set{"reason": "Preempted"}.String()})
	w.Check("list events", err)
	var victims []string
	for _, event := range events.Items {
		if slices.Contains(pods, event.InvolvedObject.Name) {
			victims = append(victims, event.InvolvedObject.Name)
		}
	}
	return victims
}

func TestNoVictimDiesOnABrokenNode(t *testing.T) {
	for _, condition := range []string{"GPUIsLost", "DStateProcess"} {
		t.Run(condition, func(t *testing.T) {
			w := fresh(t)
			favourite, running := w.fill("mn2a", "V100", 4, cheap)
			w.breaks(condition, "Exclude", favourite)
			node := w.place(w.ranked(dear, gpus(4, "V100")))
			if node == favourite {
				t.Errorf("the pod is on %s, which has %s", node, condition)
			}
			w.awaitVictim(running[node])
			w.expectAlive(favourite, running[favourite])
			w.allSound()
		})
	}
}

// Of victims that are alike kube-scheduler takes those that started last. Here it is the first that
// can go on from where it was, and the last says nonsense.
func TestVictimsHaveAFreshCheckpoint(t *testing.T) {
	w := fresh(t)
	nodes := nodesOf("mn2a")
	running := map[string][]string{}
	var first string
	for i := range nodes {
		pod := w.ranked(cheap, gpus(8, "V100"))
		switch i {
		case 0:
			pod.Annotations[checkpointedAt] = time.Now().UTC().Format(time.RFC3339)
		case len(nodes) - 1:
			pod.Annotations[checkpointedAt] = "a moment ago"
		}
		node := w.place(pod)
		running[node] = append(running[node], pod.Name)
		if i == 0 {
			first = node
		}
	}
	if len(running) != len(nodes) {
		t.Fatalf("the pool is not full as planned: %v", running)
	}
	if node := w.place(w.ranked(dear, gpus(8, "V100"))); node != first {
		t.Errorf("the pod is on %s, want it on %s, whose pod has a fresh checkpoint", node, first)
	}
	w.awaitVictim(running[first])
	for _, node := range nodes {
		if node != first {
			w.expectAlive(node, running[node])
		}
	}
	if w.metric("berth_preemption_victims_total", `checkpoint="unreadable"`) == 0 {
		t.Error("nobody counts the time that cannot be read")
	}
}

// Else the test above would prove nothing: while the node is well its pods are the victims.
func TestVictimsDieWhereTheyAreCheapest(t *testing.T) {
	w := fresh(t)
	favourite, running := w.fill("mn2a", "V100", 4, cheap)
	if node := w.place(w.ranked(dear, gpus(4, "V100"))); node != favourite {
		t.Errorf("the pod is on %s, want %s, whose pods count least", node, favourite)
	}
	w.awaitVictim(running[favourite])
}

// Nodes of a model that the pod does not want are full as well, and their pods count less.
func TestNoVictimDiesOnAnotherModel(t *testing.T) {
	w := fresh(t)
	other, running := w.fill("mn2a", "V100", 4, cheap)
	_, wanted := w.fill("mn2b-a100", "A100", 2, cheapish)
	w.expectOn("mn2b-a100", w.place(w.ranked(dear, gpus(2, "A100"))))
	w.awaitVictim(slices.Concat(slices.Collect(maps.Values(wanted))...))
	w.expectAlive(other, running[other])
}

func TestNobodyDiesWhenEveryNodeIsBroken(t *testing.T) {
	w := fresh(t)
	_, running := w.fill("mn2a", "V100", 4, cheap)
	w.breaks("GPUIsLost", "Exclude", nodesOf("mn2a")...)
	message := w.refused(w.ranked(dear, gpus(4, "V100")))
	for node, pods := range running {
		w.expectAlive(node, pods)
	}
	// kube-scheduler counts full nodes together with those that have no GPU; it asks Berth about
	// neither, and about the former only when it looks for victims.
	for _, want := range []string{"12 Insufficient nvidia.com/gpu", "no candidate node for preemption"} {
		if !strings.Contains(message, want) {
			t.Errorf("event %q, want %q in it", message, want)
		}
	}
}
