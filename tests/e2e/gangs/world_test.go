package gangs

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"berth.dev/berth/tests/e2e/box"
	"berth.dev/berth/tests/e2e/fleet"
	"berth.dev/berth/tests/e2e/judge"
	"berth.dev/berth/tests/e2e/witness"
)

const (
	gangGate       = witness.Gate // also the annotation that asks for a gang, and the condition
	gangName       = witness.Name
	gangSize       = witness.Size
	planAnnotation = "berth.dev/plan"
	labelGang      = "e2e.berth.dev/gang" // of plain pods
	broken         = "GPUIsLost"
)

// world is the box as a test sees it.
type world struct {
	box.Test
	seen    *witness.Witness
	judge   *judge.Judge
	faulted int // nodes
}

// fresh is the box without pods and with every node well, and Berth knowing it. When the test ends,
// the witness and the judge say what they have seen.
func fresh(t *testing.T) *world {
	t.Helper()
	w := &world{Test: box.Test{T: t, Timeout: awaitTimeout}}
	w.clear()
	w.Await("Berth to know that all is well", func() bool {
		w.heal()
		samples, err := shared.Berth.Metrics(t.Context())
		w.Check("scrape the extender", err)
		return samples.Sum("berth_nodes_by_condition") == 0 && samples.Sum("berth_nodes") == nodes &&
			samples.Sum("berth_accelerator_devices", `state="used"`) == 0
	})
	var err error
	w.seen, err = witness.Watch(t.Context(), shared.Client, namespace, devices)
	w.Check("watch pods", err)
	w.judge, err = judge.Start(context.WithoutCancel(t.Context()), shared.Client,
		judge.ExcludingRules(), box.ManagedResources, shared.DecisionsAddress())
	w.Check("start the judge", err)
	t.Cleanup(w.conclude)
	return w
}

// conclude fails the test if something was seen that never should be.
func (w *world) conclude() {
	w.judge.Stop()
	for _, p := range w.judge.Report() {
		if p.Verdict == judge.Broken || p.Verdict == judge.Unclear {
			w.Errorf("%s on %s is %v: %s there for %s", p.Pod, p.Node, p.Verdict, p.Condition, p.After)
		}
	}
	for _, fault := range w.seen.Stop() {
		w.Error(fault)
	}
}

// clear ends all Jobs and pods. The controller runs.
func (w *world) clear() {
	w.Helper()
	now := metav1.DeleteOptions{GracePeriodSeconds: new(int64),
		PropagationPolicy: new(metav1.DeletePropagationBackground)}
	w.Check("delete Jobs", shared.Client.BatchV1().Jobs(namespace).DeleteCollection(w.Context(), now,
		metav1.ListOptions{}))
	w.Check("delete pods", shared.Client.CoreV1().Pods(namespace).DeleteCollection(w.Context(), now,
		metav1.ListOptions{}))
	w.Await("pods to be gone", func() bool { return len(w.pods("")) == 0 })
	if *native {
		// Otherwise kube-scheduler would take that of the former test for this one's.
		w.Await("PodGroups to be gone", w.haveGroupsGone)
	}
}

// heal has every condition be over for an hour: recovery is over, too.
func (w *world) heal() {
	w.Helper()
	list, err := shared.Client.CoreV1().Nodes().List(w.Context(), metav1.ListOptions{})
	w.Check("list nodes", err)
	for _, node := range list.Items {
		for _, condition := range node.Status.Conditions {
			if condition.Type == broken && condition.Status == corev1.ConditionTrue {
				w.repair(node.Name)
			}
		}
	}
}

func (w *world) repair(node string) {
	w.Helper()
	w.Check("repair "+node, fleet.PatchCondition(w.Context(), shared.Client, node,
		corev1.NodeCondition{Type: broken, Status: corev1.ConditionFalse, Reason: "Repaired",
			LastTransitionTime: metav1.NewTime(time.Now().Add(-time.Hour))}))
}

// breaks has a node lose a GPU, and returns when Berth's extender knows.
func (w *world) breaks(node string) {
	w.Helper()
	w.Check("break "+node, fleet.SetCondition(w.Context(), shared.Client, node, broken, true))
	w.faulted++
	w.Await("Berth to know that "+node+" is broken", func() bool {
		samples, err := shared.Berth.Metrics(w.Context())
		w.Check("scrape the extender", err)
		return samples.Sum("berth_nodes_by_condition", `effect="Exclude"`) == float64(w.faulted)
	})
}

// away stops a program, which runs again when the test is over.
func (w *world) away(program *box.Process) {
	w.Helper()
	program.Stop()
	w.Cleanup(func() {
		if !program.Running() {
			w.back(program)
		}
	})
}

func (w *world) back(program *box.Process) {
	w.Helper()
	w.Check("start "+program.Name, program.Start(context.WithoutCancel(w.Context())))
}

// ask is of pods with so many devices each.
func ask(devices int64) fleet.Ask {
	return fleet.Ask{Name: "gang", Accelerators: []string{"V100"}, Resource: fleet.ResourceGPU,
		Devices: devices, Cores: 1, MemoryGiB: 4}
}

// single is a pod of no gang. With a node it has been placed already.
func single(name, node string, devices int64) *corev1.Pod {
	pod := ask(devices).Pod(name)
	pod.Namespace, pod.Spec.NodeName = namespace, node
	return pod
}

// members are pods that say themselves that they are a gang.
func members(name string, count int, devices int64) []*corev1.Pod {
	var pods []*corev1.Pod
	for i := range count {
		pod := single(fmt.Sprintf("%s-%d", name, i), "", devices)
		pod.Annotations[gangName], pod.Annotations[gangSize] = name, fmt.Sprint(count)
		pod.Labels[labelGang] = name
		pods = append(pods, pod)
	}
	return pods
}

// gangJob is an Indexed Job that asks to be a gang.
func gangJob(name string, count int, devices int64) *batchv1.Job {
	pod := ask(devices).Pod("")
	number := int32(count)
	return &batchv1.Job{
		ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: namespace,
			Annotations: map[string]string{gangGate: "true"}},
		Spec: batchv1.JobSpec{CompletionMode: new(batchv1.IndexedCompletion),
			Completions: &number, Parallelism: &number,
			Template: corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: pod.Labels,
				Annotations: pod.Annotations}, Spec: pod.Spec}},
	}
}

// start creates a Job, and returns the name of its gang.
func (w *world) start(job *batchv1.Job) string {
	w.Helper()
	created, err := shared.Client.BatchV1().Jobs(namespace).Create(w.Context(), job,
		metav1.CreateOptions{})
	w.Check("create the Job", err)
	return created.Name + "-" + string(created.UID)[:8]
}

func (w *world) create(pods ...*corev1.Pod) {
	w.Helper()
	w.Check("create pods", fleet.CreatePods(w.Context(), shared.Client, pods))
}

func (w *world) delete(names ...string) {
	w.Helper()
	for _, name := range names {
		w.Check("delete "+name, shared.Client.CoreV1().Pods(namespace).Delete(w.Context(), name,
			metav1.DeleteOptions{GracePeriodSeconds: new(int64)}))
	}
}

// pods are those whose names begin so, by name.
func (w *world) pods(prefix string) []corev1.Pod {
	w.Helper()
	list, err := shared.Client.CoreV1().Pods(namespace).List(w.Context(), metav1.ListOptions{})
	w.Check("list pods", err)
	pods := slices.DeleteFunc(list.Items, func(pod corev1.Pod) bool {
		return !strings.HasPrefix(pod.Name, prefix)
	})
	slices.SortFunc(pods, func(a, b corev1.Pod) int { return strings.Compare(a.Name, b.Name) })
	return pods
}

// all waits until there are so many pods whose names begin so, and each is as described.
func (w *world) all(
	prefix string, count int, what string, holds func(corev1.Pod) bool,
) []corev1.Pod {
	w.Helper()
	return w.some(prefix, count, count, what, holds)
}

// some is the same for so many of the pods, and returns these.
func (w *world) some(
	prefix string, some, of int, what string, holds func(corev1.Pod) bool,
) (found []corev1.Pod) {
	w.Helper()
	w.Await(fmt.Sprintf("%d of %d pods of %s %s", some, of, prefix, what), func() bool {
		pods := w.pods(prefix)
		there := len(pods)
		found = slices.DeleteFunc(pods, func(pod corev1.Pod) bool { return !holds(pod) })
		return there == of && len(found) == some
	})
	return found
}

// isGated tells whether Berth holds a pod back, by a gate or a PodGroup.
func isGated(pod corev1.Pod) bool {
	if *native {
		return lacksGroup(pod)
	}
	return witness.IsGated(pod)
}

func isNominated(pod corev1.Pod) bool { return witness.IsNominated(pod) }

func isReleased(pod corev1.Pod) bool { return !isGated(pod) }

func isBound(pod corev1.Pod) bool { return pod.Spec.NodeName != "" }

func isRunning(pod corev1.Pod) bool { return pod.Status.Phase == corev1.PodRunning }

func holdsNothing(pod corev1.Pod) bool {
	return isGated(pod) && !isNominated(pod) && !isBound(pod)
}

// promises are the nominated nodes, by the pods' names.
func promises(pods []corev1.Pod) map[string]string {
	nodes := map[string]string{}
	for _, pod := range pods {
		nodes[pod.Name] = pod.Status.NominatedNodeName
	}
	return nodes
}

// expectOn fails the test if a pod is not where it was promised to be.
func (w *world) expectOn(promised map[string]string, pods []corev1.Pod) {
	w.Helper()
	for _, pod := range pods {
		if node := promised[pod.Name]; node != "" && pod.Spec.NodeName != node {
			w.Errorf("%s is on %s, was promised %s", pod.Name, pod.Spec.NodeName, node)
		}
	}
}

// expectNobodyOn fails the test if one of the pods is on the node, or nominated there.
func (w *world) expectNobodyOn(node string, pods []corev1.Pod) {
	w.Helper()
	for _, pod := range pods {
		if pod.Spec.NodeName == node || isNominated(pod) && pod.Status.NominatedNodeName == node {
			w.Errorf("%s has the broken node %s", pod.Name, node)
		}
	}
}

// rackOf is the rack of a node.
func (w *world) rackOf(node string) string {
	w.Helper()
	got, err := shared.Client.CoreV1().Nodes().Get(w.Context(), node, metav1.GetOptions{})
	w.Check("get "+node, err)
	return got.Labels[fleet.LabelRack]
}

// conditionOf is what a pod says of its gang; nil: nothing.
func conditionOf(pod corev1.Pod) *corev1.PodCondition {
	for i, condition := range pod.Status.Conditions {
		if condition.Type == gangGate {
			return &pod.Status.Conditions[i]
		}
	}
	return nil
}

// waitsAs tells whether a pod says that its gang waits, in words with all of the parts.
func waitsAs(pod corev1.Pod, parts ...string) bool {
	condition := conditionOf(pod)
	if condition == nil || condition.Status != corev1.ConditionFalse {
		return false
	}
	return !slices.ContainsFunc(parts, func(part string) bool {
		return !strings.Contains(condition.Message, part)
	})
}

// toldWaiting are the messages of events that say that a gang waits, by the pods' names.
func (w *world) toldWaiting() map[string]string {
	w.Helper()
	events, err := shared.Client.CoreV1().Events(namespace).List(w.Context(),
		metav1.ListOptions{FieldSelector: "reason=GangWaits"})
	w.Check("list events", err)
	said := map[string]string{}
	for _, event := range events.Items {
		said[event.InvolvedObject.Name] = event.Message
	}
	return said
}

func contains(pods []corev1.Pod, wanted corev1.Pod) bool {
	return slices.ContainsFunc(pods, func(pod corev1.Pod) bool { return pod.UID == wanted.UID })
}
