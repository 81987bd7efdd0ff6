package nomination

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// What Berth relies on where the pods of a gang wait for a PodGroup instead of behind gates.

const (
	group          = "gang"
	groupFinalizer = "scheduling.k8s.io/podgroup-protection"
	groupsPath     = "/apis/scheduling.k8s.io/v1beta1/namespaces/" + metav1.NamespaceDefault + "/podgroups"
)

// grouped is the box without pods and PodGroups.
func grouped(t *testing.T) *world {
	t.Helper()
	if !*podGroups {
		t.Skip("PodGroups are of Kubernetes 1.37: -pod-groups -kube-apiserver kube-apiserver-1.37 " +
			"-kube-scheduler kube-scheduler-1.37")
	}
	w := fresh(t)
	w.drop()
	return w
}

// member makes a pod of the PodGroup.
func member(count int64) *corev1.Pod {
	made := pod(count)
	made.Spec.SchedulingGroup = &corev1.PodSchedulingGroup{PodGroupName: new(group)}
	return made
}

// form creates the PodGroup.
func (w *world) form(minCount int) {
	w.Helper()
	body, err := json.Marshal(map[string]any{
		"metadata": map[string]any{"name": group},
		"spec": map[string]any{"schedulingPolicy": map[string]any{
			"gang": map[string]any{"minCount": minCount}}},
	})
	w.Check("write a PodGroup", err)
	w.Check("create the PodGroup", shared.Client.CoreV1().RESTClient().Post().AbsPath(groupsPath).
		SetHeader("Content-Type", "application/json").Body(body).Do(w.Context()).Error())
}

// drop deletes the PodGroup, although pods that run belong to it.
func (w *world) drop() {
	w.Helper()
	client := shared.Client.CoreV1().RESTClient()
	free := fmt.Appendf(nil, `{"metadata": {"$deleteFromPrimitiveList/finalizers": [%q]}}`, groupFinalizer)
	err := client.Patch(types.StrategicMergePatchType).AbsPath(groupsPath, group).Body(free).
		Do(w.Context()).Error()
	if apierrors.IsNotFound(err) {
		return
	}
	w.Check("free the PodGroup", err)
	w.Check("delete the PodGroup", client.Delete().AbsPath(groupsPath, group).Do(w.Context()).Error())
	err = client.Get().AbsPath(groupsPath, group).Do(w.Context()).Error()
	if !apierrors.IsNotFound(err) {
		w.Errorf("the PodGroup is still there: %v", err)
	}
}

// open sets the PodGroup's minCount.
func (w *world) open(minCount int) {
	w.Helper()
	body := fmt.Appendf(nil, `[{"op": "replace", "path": "/spec/schedulingPolicy/gang/minCount", "value": %d}]`,
		minCount)
	w.Check("open the PodGroup", shared.Client.CoreV1().RESTClient().Patch(types.JSONPatchType).
		AbsPath(groupsPath, group).Body(body).Do(w.Context()).Error())
}

// expectWaiting fails the test if kube-scheduler has looked at one of the pods.
func (w *world) expectWaiting(pods ...*corev1.Pod) {
	w.Helper()
	w.pass()
	for _, pod := range pods {
		if got := w.get(pod); got.Spec.NodeName != "" {
			w.Errorf("%s is on %s", pod.Name, got.Spec.NodeName)
		}
		if asked := w.clerk.about(pod.Name); len(asked) > 0 {
			w.Errorf("extenders were asked about %s with %v", pod.Name, asked)
		}
	}
}

func TestPodsWaitForTheirPodGroupOnNominatedNodes(t *testing.T) {
	for _, restarts := range []bool{false, true} {
		t.Run(fmt.Sprintf("restart=%t", restarts), func(t *testing.T) {
			w := grouped(t)
			waiting := []*corev1.Pod{member(devices / 2), member(devices / 2), member(devices)}
			w.create(waiting...)
			promised := []string{nodes[0], nodes[0], nodes[1]}
			for i, pod := range waiting {
				w.nominate(pod, promised[i])
			}
			w.expectWaiting(waiting...)
			if restarts {
				shared.Scheduler.Stop()
				w.Check("start kube-scheduler", shared.Scheduler.Start(w.Context()))
			}
			rival := pod(1)
			w.create(rival)
			w.placed(rival)
			w.expectAsked(rival, nodes[2:])
			w.form(len(waiting))
			for i, pod := range waiting {
				if node := w.placed(pod); node != promised[i] {
					t.Errorf("%s is on %s, want %s", pod.Name, node, promised[i])
				}
				w.expectAsked(pod, promised[i:i+1])
			}
		})
	}
}

// A PodGroup that wants more pods than there are is closed. When it is opened, all pods go at once,
// each to its own node, and none is refused, however many they are: of a PodGroup that is created open,
// kube-scheduler may try the first ones before it has the others.
func TestPodsOfAPodGroupThatIsOpenedGoTogether(t *testing.T) {
	w := grouped(t)
	var waiting []*corev1.Pod
	for range len(nodes) * devices {
		waiting = append(waiting, member(1))
	}
	w.create(waiting...)
	for i, pod := range waiting {
		w.nominate(pod, nodes[i/devices])
	}
	w.form(math.MaxInt32)
	w.expectWaiting(waiting...)
	w.open(len(waiting))
	for i, pod := range waiting {
		if node := w.placed(pod); node != nodes[i/devices] {
			t.Errorf("%s is on %s, want %s", pod.Name, node, nodes[i/devices])
		}
		if asked := w.clerk.about(pod.Name); len(asked) != 1 {
			t.Errorf("extenders were asked about %s with %v, want once", pod.Name, asked)
		}
	}
}

// One of three does not fit any more. None is bound, and all are refused in words that tell it from
// preemption. When the PodGroup has been deleted they wait again, and a new one lets them go.
func TestAPodGroupIsPlacedWholeOrNotAtAll(t *testing.T) {
	w := grouped(t)
	waiting := []*corev1.Pod{member(devices), member(devices), member(devices)}
	w.create(waiting...)
	for i, pod := range waiting {
		w.nominate(pod, nodes[i])
	}
	w.pass()
	thief := w.ranked(1000, corev1.PreemptNever, pod(1))
	w.create(thief)
	w.placed(thief)
	w.form(len(waiting))
	for _, pod := range waiting {
		w.awaitRefusal(pod)
		got := w.get(pod)
		if got.Spec.NodeName != "" {
			t.Errorf("%s is on %s", pod.Name, got.Spec.NodeName)
		}
		if said := refusal(got); strings.Contains(said, ", preempting ") ||
			strings.Contains(said, "ongoing preemption") {
			t.Errorf("%s is refused in the words %q", pod.Name, said)
		}
		t.Logf("%s is nominated to %q: %s", pod.Name, got.Status.NominatedNodeName, refusal(got))
	}
	w.drop()
	w.Check("delete "+thief.Name, shared.Client.CoreV1().Pods(thief.Namespace).Delete(w.Context(),
		thief.Name, metav1.DeleteOptions{GracePeriodSeconds: new(int64)}))
	for i, pod := range waiting {
		w.nominate(pod, nodes[i])
	}
	w.pass()
	for _, pod := range waiting {
		if node := w.get(pod).Spec.NodeName; node != "" {
			t.Errorf("%s is on %s although there is no PodGroup", pod.Name, node)
		}
	}
	w.form(len(waiting))
	for i, pod := range waiting {
		if node := w.placed(pod); node != nodes[i] {
			t.Errorf("%s is on %s, want %s", pod.Name, node, nodes[i])
		}
	}
}

// A pod that comes when the others run waits for a PodGroup of its own.
func TestAPodThatComesLaterWaitsWhenThePodGroupIsGone(t *testing.T) {
	w := grouped(t)
	first := member(1)
	w.create(first)
	w.form(1)
	w.placed(first)
	w.drop()
	later := member(1)
	w.create(later)
	w.nominate(later, nodes[1])
	w.expectWaiting(later)
	w.form(1)
	if node := w.placed(later); node != nodes[1] {
		t.Errorf("%s is on %s, want %s", later.Name, node, nodes[1])
	}
	if node := w.get(first).Spec.NodeName; node == "" {
		t.Errorf("%s is on no node any more", first.Name)
	}
}
