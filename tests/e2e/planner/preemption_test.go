package planner

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"

	"berth.dev/berth/tests/e2e/fleet"
)

// urgent is the number of pods that ask for a device each: as many as one idle node has.
const urgent = 4

// addVictims has a pod of low priority hold every A100 node but one, until the test ends, and returns
// how many devices these pods hold.
func (w *world) addVictims() (victims []string, idle string, held int64) {
	w.Helper()
	pool := pools()[1]
	last := pool.Nodes - 1
	w.class("low", 1)
	w.class("high", 1000)
	pods := gpus("A100", last, pool.Devices)
	for i, pod := range pods {
		pod.Spec.PriorityClassName, pod.Spec.NodeName = "low", pool.NodeName(i)
		victims = append(victims, pod.Name)
	}
	w.Check("create victims", fleet.CreatePods(w.Context(), shared.Client, pods))
	held = pool.Devices * int64(last)
	w.awaitUsed(held)
	return victims, pool.NodeName(last), held
}

// class makes a priority class, and waits until kube-apiserver admits pods with it.
func (w *world) class(name string, value int32) {
	w.Helper()
	_, err := shared.Client.SchedulingV1().PriorityClasses().Create(w.Context(),
		&schedulingv1.PriorityClass{ObjectMeta: metav1.ObjectMeta{Name: name}, Value: value},
		metav1.CreateOptions{})
	if !apierrors.IsAlreadyExists(err) {
		w.Check("create the priority class", err)
	}
	pod := gpus("A100", 1, 1)[0]
	pod.Spec.PriorityClassName = name
	w.Await("the priority class "+name, func() bool {
		_, err := w.all().Create(w.Context(), pod,
			metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
		return !apierrors.IsForbidden(err)
	})
}

// request creates so many pods of high priority that want an A100 each.
func (w *world) request(count int) {
	w.Helper()
	pods := gpus("A100", count, 1)
	for _, pod := range pods {
		pod.Name = strings.Replace(pod.Name, "train", "urgent", 1)
		pod.Spec.PriorityClassName = "high"
	}
	w.Check("create pods", fleet.CreatePods(w.Context(), shared.Client, pods))
}

// requested are the pods that were.
func (w *world) requested() []corev1.Pod {
	w.Helper()
	return slices.DeleteFunc(w.pods(), func(pod corev1.Pod) bool {
		return !strings.HasPrefix(pod.Name, "urgent")
	})
}

// ask requests so many pods, and returns their nodes.
func (w *world) ask(count int) map[string]string {
	w.Helper()
	w.request(count)
	var nodes map[string]string
	w.Await("the urgent pods to have nodes", func() bool {
		nodes = map[string]string{}
		for _, pod := range w.requested() {
			if pod.Spec.NodeName != "" {
				nodes[pod.Name] = pod.Spec.NodeName
			}
		}
		return len(nodes) == count
	})
	return nodes
}

// skipSamples has kube-scheduler place so many pods on V100, after which its next sample begins
// elsewhere. Otherwise equal rounds may meet equal samples again and again.
func (w *world) skipSamples(count int) {
	w.Helper()
	pods := gpus("V100", count, 1)
	for _, pod := range pods {
		pod.Name = strings.Replace(pod.Name, "train", "urgent-v100", 1)
	}
	w.Check("create pods", fleet.CreatePods(w.Context(), shared.Client, pods))
	w.Await("pods on V100 to have a node", func() bool {
		return !slices.ContainsFunc(w.requested(), func(pod corev1.Pod) bool {
			return pod.Spec.NodeName == ""
		})
	})
}

// awaitUsed waits until the extender knows that only so many A100 devices are used.
func (w *world) awaitUsed(devices int64) {
	w.Helper()
	w.Await(fmt.Sprintf("Berth to know of %d used devices", devices), func() bool {
		return w.metric("berth_accelerator_devices", `accelerator="A100"`, `state="used"`) ==
			float64(devices)
	})
}

// hold has a pod of that priority hold an A100 node until the test ends.
func (w *world) hold(priority string, index int) {
	w.Helper()
	pool := pools()[1]
	pod := gpus("A100", 1, pool.Devices)[0]
	pod.Name = fmt.Sprintf("%s-%03d", priority, index)
	pod.Spec.PriorityClassName, pod.Spec.NodeName = priority, pool.NodeName(index)
	w.Check("create "+pod.Name, fleet.CreatePods(w.Context(), shared.Client, []*corev1.Pod{pod}))
}

// ended is how many nominations of the planner have ended so.
func (w *world) ended(outcome string) float64 {
	w.Helper()
	samples, err := controller.Metrics(w.Context())
	w.Check("scrape the controller", err)
	return samples.Sum("berth_planner_nominations_total", fmt.Sprintf("outcome=%q", outcome))
}

// takeBack deletes the pods that were requested.
func (w *world) takeBack() {
	w.Helper()
	for _, pod := range w.requested() {
		w.Check("delete "+pod.Name, w.all().Delete(w.Context(), pod.Name,
			metav1.DeleteOptions{GracePeriodSeconds: new(int64)}))
	}
	w.Await("the urgent pods to be gone", func() bool { return len(w.requested()) == 0 })
}

// evicted lists which of the pods an event calls victims.
func (w *world) evicted(pods []string) (found []string) {
	w.Helper()
	events, err := shared.Client.CoreV1().Events(metav1.NamespaceDefault).List(w.Context(),
		metav1.ListOptions{FieldSelector: fields.Set{"reason": "Preempted"}.String()})
	w.Check("list events", err)
	for _, event := range events.Items {
		if slices.Contains(pods, event.InvolvedObject.Name) {
			found = append(found, event.InvolvedObject.Name)
		}
	}
	return found
}

// deleteEvents forgets what other tests have done.
func (w *world) deleteEvents() {
	w.Helper()
	w.Check("delete events", shared.Client.CoreV1().Events(metav1.NamespaceDefault).DeleteCollection(
		w.Context(), metav1.DeleteOptions{}, metav1.ListOptions{}))
}

// metric is the sum of a metric of the extender.
func (w *world) metric(name string, labels ...string) float64 {
	w.Helper()
	samples, err := shared.Berth.Metrics(w.Context())
	w.Check("scrape the extender", err)
	return samples.Sum(name, labels...)
}

func (w *world) awaitLeader(leads float64) {
	w.Helper()
	w.Await(fmt.Sprintf("the extender to see %v leaders", leads), func() bool {
		return w.metric("berth_extender_controller_leads") == leads
	})
}

// One idle node fits the pods. Most samples are without it, and have a node with a victim instead.
func TestNobodyIsEvictedWhileANodeFits(t *testing.T) {
	w := fresh(t)
	w.deleteEvents()
	victims, idle, held := w.addVictims()
	w.awaitLeader(1)
	before := w.metric("berth_preemptions_total", `outcome="vetoed"`)
	const rounds = 50 // of a hundred samples, a few have a victim and not the idle node
	for round := 1; w.metric("berth_preemptions_total", `outcome="vetoed"`) == before; round++ {
		if round > rounds {
			t.Fatal("kube-scheduler wanted to evict nobody: the test shows nothing")
		}
		pods := w.ask(urgent)
		for pod, node := range pods {
			if node != idle {
				t.Errorf("%s is on %s, want the idle %s", pod, node, idle)
			}
		}
		if found := w.evicted(victims); len(found) > 0 {
			t.Fatalf("%v were evicted", found)
		}
		w.skipSamples(round % 4)
		w.takeBack()
		// While the extender believes that the idle node is full, it lets kube-scheduler evict.
		w.awaitUsed(held)
	}
}

// Pods of high priority hold all A100 nodes but one, where a victim is. Most samples are without that
// node, so kube-scheduler finds no victim, until the planner nominates it.
func TestPodsAreEvictedOnTheNodeWhereItHelps(t *testing.T) {
	w := fresh(t)
	w.class("low", 1)
	w.class("high", 1000)
	w.awaitLeader(1)
	pool := pools()[1]
	last := pool.Nodes - 1
	for index := range last {
		w.hold("high", index)
	}
	before := w.ended("evicted")
	const rounds = 60
	for round := 1; w.ended("evicted") == before; round++ {
		if round > rounds {
			t.Fatal("kube-scheduler found the victim in each sample: the test shows nothing")
		}
		w.hold("low", last)
		w.awaitUsed(int64(pool.Nodes) * pool.Devices)
		start := time.Now()
		pods := w.ask(1)
		t.Logf("the pod has a node after %s", time.Since(start).Round(time.Millisecond))
		for pod, node := range pods {
			if node != pool.NodeName(last) {
				t.Errorf("%s is on %s, want %s", pod, node, pool.NodeName(last))
			}
		}
		w.skipSamples(round % 4)
		w.takeBack()
	}
}

// Else the first test above would prove nothing: without a controller, nobody nominates the node that
// fits, and kube-scheduler may evict pods.
func TestPodsAreEvictedWithoutAController(t *testing.T) {
	w := fresh(t)
	w.deleteEvents()
	victims, _, _ := w.addVictims()
	controller.Stop()
	w.Cleanup(func() {
		if err := controller.Start(context.Background()); err != nil {
			t.Error(err)
		}
	})
	w.awaitLeader(0)
	w.Await("an eviction", func() bool {
		w.request(urgent)
		// A pod that was refused is tried again only when something changes.
		w.Await("the urgent pods to be tried", func() bool {
			return !slices.ContainsFunc(w.requested(), func(pod corev1.Pod) bool {
				return pod.Spec.NodeName == "" && len(pod.Status.Conditions) == 0
			})
		})
		evicted := w.evicted(victims)
		w.takeBack()
		return len(evicted) > 0
	})
}
