package nomination

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// expectAsked fails the test unless the clerk was asked about the pod exactly so.
func (w *world) expectAsked(pod *corev1.Pod, want ...[]string) {
	w.Helper()
	if got := w.clerk.about(pod.Name); !reflect.DeepEqual(got, want) {
		w.Errorf("extenders were asked about %s with %v, want %v", pod.Name, got, want)
	}
}

func TestANominatedPodIsFilteredOnItsNodeAlone(t *testing.T) {
	w := fresh(t)
	release := w.busy()
	free, nominated := pod(1), pod(1)
	w.create(free, nominated)
	w.nominate(nominated, nodes[1])
	w.awaitSeen()
	release()
	if node := w.placed(nominated); node != nodes[1] {
		t.Errorf("the pod is on %s, want %s", node, nodes[1])
	}
	w.expectAsked(nominated, nodes[1:2])
	w.placed(free)
	w.expectAsked(free, nodes)
}

func TestAPodThatDoesNotFitItsNodeIsScanned(t *testing.T) {
	w := fresh(t)
	full := pod(devices)
	w.create(full)
	taken := w.placed(full)
	release := w.busy()
	onFull, onNone := pod(1), pod(1)
	w.create(onFull, onNone)
	w.nominate(onFull, taken)
	w.nominate(onNone, "no-such-node")
	w.awaitSeen()
	release()
	rest := slices.DeleteFunc(slices.Clone(nodes), func(node string) bool { return node == taken })
	for _, pod := range []*corev1.Pod{onFull, onNone} {
		w.placed(pod)
		w.expectAsked(pod, rest)
	}
}

func TestAPodThatAnExtenderRefusesOnItsNodeIsScanned(t *testing.T) {
	w := fresh(t)
	release := w.busy()
	refused := pod(1)
	w.clerk.refuse(refused.Name)
	w.create(refused)
	w.nominate(refused, nodes[1])
	w.awaitSeen()
	release()
	w.awaitRefusal(refused)
	if asked := w.clerk.about(refused.Name); !reflect.DeepEqual(asked[:2], [][]string{nodes[1:2], nodes}) {
		t.Errorf("extenders were asked with %v, want the nominated node first, then all", asked)
	}
}

func TestAStatusWriteKeepsThePlaceInTheQueue(t *testing.T) {
	w := fresh(t)
	release := w.busy()
	pods := []*corev1.Pod{pod(1), pod(1), pod(1), pod(1)}
	var names []string
	for _, pod := range pods {
		names = append(names, pod.Name)
	}
	w.create(pods...)
	for _, pod := range []*corev1.Pod{pods[2], pods[0], pods[1]} {
		w.nominate(pod, nodes[2])
	}
	w.awaitSeen()
	release()
	for _, pod := range pods {
		w.placed(pod)
	}
	if order := w.clerk.order(names); !slices.Equal(order, names) {
		t.Errorf("kube-scheduler tried %v, want %v", order, names)
	}
}

func TestAsManyPodsAsANodeHoldsGetIt(t *testing.T) {
	w := fresh(t)
	w.expectCrowd(devices, 0)
}

// While more pods are nominated than fit, kube-scheduler refuses the empty node to whichever is first:
// the others count, though none has it.
func TestANominationTooManyCostsTheNode(t *testing.T) {
	w := fresh(t)
	w.expectCrowd(devices+1, 1)
}

// expectCrowd nominates pods on one empty node, and expects that the first so many are not even
// filtered there, and that the rest get it: the first is on another node by then.
func (w *world) expectCrowd(count, failing int) {
	w.Helper()
	release := w.busy()
	var pods []*corev1.Pod
	for range count {
		pods = append(pods, pod(1))
	}
	w.create(pods...)
	for _, pod := range pods {
		w.nominate(pod, nodes[0])
	}
	w.awaitSeen()
	release()
	for i, pod := range pods {
		node := w.placed(pod)
		if i < failing {
			w.expectAsked(pod, nodes[1:])
			continue
		}
		w.expectAsked(pod, nodes[:1])
		if node != nodes[0] {
			w.Errorf("%s is on %s, want %s", pod.Name, node, nodes[0])
		}
	}
}

func TestANominationOnAGatedPodHoldsAgainstARival(t *testing.T) {
	w := fresh(t)
	waiting := gated(pod(devices))
	w.create(waiting)
	w.nominate(waiting, nodes[0])
	w.pass()
	rival := pod(1)
	w.create(rival)
	w.placed(rival)
	w.expectAsked(rival, nodes[1:])
	w.ungate(waiting)
	if node := w.placed(waiting); node != nodes[0] {
		t.Errorf("the pod is on %s, want %s", node, nodes[0])
	}
	w.expectAsked(waiting, nodes[:1])
}

func TestAHigherPriorityIgnoresANomination(t *testing.T) {
	w := fresh(t)
	waiting := gated(pod(devices))
	w.create(waiting)
	w.nominate(waiting, nodes[0])
	w.pass()
	rival := w.ranked(1000, corev1.PreemptLowerPriority, pod(1))
	w.create(rival)
	w.placed(rival)
	w.expectAsked(rival, nodes)
}

// The planner relies on it when it tells its own nominations from others' after a restart.
func TestAStatusWriteKeepsAnnotations(t *testing.T) {
	w := fresh(t)
	waiting := gated(pod(1))
	w.create(waiting)
	got := w.nominate(waiting, nodes[0])
	if got.Annotations["berth.dev/plan"] != nodes[0] || got.Status.NominatedNodeName != nodes[0] {
		t.Errorf("kube-apiserver keeps annotations %v and node %q", got.Annotations,
			got.Status.NominatedNodeName)
	}
	got = w.patch(waiting, `{"metadata": {"annotations": {"berth.dev/plan": null}},
		"status": {"nominatedNodeName": null}}`, "status")
	if got.Annotations["berth.dev/plan"] != "" || got.Status.NominatedNodeName != "" {
		t.Errorf("kube-apiserver keeps annotations %v and node %q after they were removed",
			got.Annotations, got.Status.NominatedNodeName)
	}
}

func TestAWriteForAnotherPodOfTheNameIsRefused(t *testing.T) {
	w := fresh(t)
	waiting := gated(pod(1))
	w.create(waiting)
	_, err := shared.Client.CoreV1().Pods(waiting.Namespace).Patch(t.Context(), waiting.Name,
		types.MergePatchType, []byte(`{"metadata": {"uid": "another"},
			"status": {"nominatedNodeName": "gpu-001"}}`), metav1.PatchOptions{}, "status")
	if !apierrors.IsInvalid(err) {
		t.Errorf("kube-apiserver says %v, want that a UID is immutable", err)
	}
}

func TestABoundPodHasNoNomination(t *testing.T) {
	w := fresh(t)
	release := w.busy()
	nominated := pod(1)
	w.create(nominated)
	w.nominate(nominated, nodes[1])
	w.awaitSeen()
	release()
	w.placed(nominated)
	if node := w.get(nominated).Status.NominatedNodeName; node != "" {
		t.Errorf("the bound pod is still nominated to %s", node)
	}
	_, err := shared.Client.CoreV1().Pods(nominated.Namespace).Patch(t.Context(), nominated.Name,
		types.MergePatchType, []byte(`{"status": {"nominatedNodeName": "gpu-001"}}`),
		metav1.PatchOptions{}, "status")
	if !apierrors.IsInvalid(err) {
		t.Errorf("kube-apiserver says %v, want that the field may not be set", err)
	}
}

// A pod that finds no node, not even by preemption, loses its nomination; one that may not preempt
// keeps it, so the planner has to withdraw it. It knows by the message which of them may preempt.
func TestWhatClearsANomination(t *testing.T) {
	for _, c := range []struct {
		policy corev1.PreemptionPolicy
		want   string // the nomination afterwards
		says   string
	}{
		{corev1.PreemptLowerPriority, "", "preemption: 0/"},
		{corev1.PreemptNever, nodes[1], "preemption: not eligible"},
	} {
		t.Run(string(c.policy), func(t *testing.T) {
			w := fresh(t)
			release := w.busy()
			tried := w.ranked(2000, c.policy, pod(devices+1))
			w.create(tried)
			w.nominate(tried, nodes[1])
			w.awaitSeen()
			release()
			w.awaitRefusal(tried)
			w.pass()
			got := w.get(tried)
			if got.Status.NominatedNodeName != c.want {
				t.Errorf("nominated to %q, want %q; it says %s", got.Status.NominatedNodeName, c.want,
					refusal(got))
			}
			if !strings.Contains(refusal(got), c.says) {
				t.Errorf("it says %q, want that it has %q", refusal(got), c.says)
			}
		})
	}
}

// ranked gives a pod a priority, by a PriorityClass that is made if it is not there.
func (w *world) ranked(
	priority int32, policy corev1.PreemptionPolicy, pod *corev1.Pod,
) *corev1.Pod {
	w.Helper()
	class := &schedulingv1.PriorityClass{
		ObjectMeta: metav1.ObjectMeta{Name: strings.ToLower(fmt.Sprintf("e2e-%d-%s", priority, policy))},
		Value:      priority, PreemptionPolicy: &policy,
	}
	_, err := shared.Client.SchedulingV1().PriorityClasses().Create(w.Context(), class,
		metav1.CreateOptions{})
	if !apierrors.IsAlreadyExists(err) {
		w.Check("create the priority class", err)
	}
	pod.Spec.PriorityClassName = class.Name
	// kube-apiserver admits pods by what its own watch has told it of classes.
	w.Await("the priority class "+class.Name, func() bool {
		_, err := shared.Client.CoreV1().Pods(pod.Namespace).Create(w.Context(), pod,
			metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
		return !apierrors.IsForbidden(err)
	})
	return pod
}
