//go:build long

package gangs

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"berth.dev/berth/tests/e2e/fleet"
)

// slack is what evictions and bindings may take beside the timeout.
const slack = 10 * time.Second

// nextController is what it may take until another controller leads and has gone on with an eviction.
const nextController = 2 * time.Minute

// jobBackoff is more than the ten minutes that kube-controller-manager waits at most before a Job whose
// pods have failed makes others.
const jobBackoff = 11 * time.Minute

// expectNotPartlyFor fails the test if a gang has run partly for longer than the timeout allows.
func (w *world) expectNotPartlyFor(timeout time.Duration) {
	w.Helper()
	for name, course := range w.seen.Courses() {
		if course.Longest() > timeout+slack {
			w.Errorf("%s has run partly for %s", name, course.Longest())
		}
	}
}

// The gang is whole again when the Job has made the pod anew.
func TestAMemberIsMadeAnewWhileItsGangWaits(t *testing.T) {
	w := fresh(t)
	w.create(single("filler", pool().NodeName(0), devices))
	w.start(gangJob("train", nodes, devices))
	former := w.all("train-", nodes, "are gated", holdsNothing)
	w.delete(former[0].Name, "filler")
	pods := w.all("train-", nodes, "run", isRunning)
	if contains(pods, former[0]) {
		t.Error("no pod was made anew")
	}
}

// A gang that runs is left alone. What is made anew of it joins the others, elsewhere.
func TestANodeBreaksWhileAGangRuns(t *testing.T) {
	w := fresh(t)
	const pods = 8
	w.start(gangJob("train", pods, devices))
	former := w.all("train-", pods, "run", isRunning)
	lost := former[0]
	w.breaks(lost.Spec.NodeName)
	w.evict(lost.Name)
	now := w.all("train-", pods, "run, one of them anew", func(pod corev1.Pod) bool {
		return isRunning(pod) && pod.UID != lost.UID
	})
	w.expectNobodyOn(lost.Spec.NodeName, now)
	for _, pod := range former[1:] {
		if !contains(now, pod) {
			t.Errorf("%s was evicted", pod.Name)
		}
	}
	w.expectNotPartlyFor(timeout)
}

// It is gone as the pods are that kube-controller-manager deletes where many have ended. Then the others
// are evicted, and the Job makes only these anew.
func TestAGangGoesOnWithoutAPodThatHasSucceededAndIsGone(t *testing.T) {
	w := fresh(t)
	const pods = 4
	w.start(gangJob("train", pods, devices))
	former := w.all("train-", pods, "run", isRunning)
	w.Check("end "+former[0].Name, fleet.Doom(w.Context(), shared.Client, namespace, former[0].Name,
		fleet.FateSucceeded))
	w.Await("the Job to count the pod that has succeeded", func() bool {
		stored, err := shared.Client.BatchV1().Jobs(namespace).Get(w.Context(), "train", metav1.GetOptions{})
		w.Check("get the Job", err)
		return stored.Status.Succeeded == 1
	})
	w.delete(former[0].Name)
	w.away(controller.Process)
	for _, pod := range former[1:] {
		w.evict(pod.Name)
	}
	w.all("train-", pods-1, "wait", func(pod corev1.Pod) bool { return isGated(pod) && !contains(former, pod) })
	w.back(controller.Process)
	w.all("train-", pods-1, "run", isRunning)
}

// evict has a pod leave as one that is drained does: its Job makes another one.
func (w *world) evict(pod string) {
	w.Helper()
	w.Check("evict "+pod, shared.Client.CoreV1().Pods(namespace).EvictV1(w.Context(),
		&policyv1.Eviction{ObjectMeta: metav1.ObjectMeta{Name: pod, Namespace: namespace}}))
}

// All nodes are the gang's. One disappears when it has been released: nothing else fits the pod, so
// the others are evicted after the timeout. The Job makes them anew, and they wait together. The webhook's
// rules let the Job retry what was evicted. The gang rests before it tries again. The pod that had no node
// is there until kube-controller-manager looks for such pods, every 20 s. If the Job has made the others
// anew by then, its backoff for so many failures holds: that pod comes up to ten minutes later, and the
// gang waits for it. If it has not, all of them come so late. A gang of a PodGroup is bound whole, so
// none of it runs here; see TestAGangThatKubeSchedulerRefusesIsHeldBackAgain.
func TestAGangThatLacksAPodIsEvicted(t *testing.T) {
	w := gateWorld(t)
	former := w.evictWhole(gangJob("train", nodes, devices))
	w.Timeout = jobBackoff
	w.awaitAnew(former)
	w.Timeout = awaitTimeout
	lacksOne := fmt.Sprintf("%d of %d pods are there", nodes-1, nodes)
	w.Await("pods that rest, or wait for the last one", func() bool {
		pods := w.pods("train-")
		return len(pods) >= nodes-1 && !slices.ContainsFunc(pods, func(pod corev1.Pod) bool {
			rests := waitsAs(pod, "rests until ", "it ran without all its pods for 30s and was evicted")
			isAlone := len(pods) == nodes-1 && waitsAs(pod, lacksOne)
			return !rests && !isAlone || !holdsNothing(pod)
		})
	})
	w.expectNotPartlyFor(timeout)
}

// Its Job does not count what was evicted, so it needs no retries.
func TestAGangThatIsEvictedStartsAnewIfItsJobIgnoresDisruptions(t *testing.T) {
	w := gateWorld(t)
	job := gangJob("train", nodes, devices)
	job.Labels = map[string]string{"kueue.x-k8s.io/queue-name": "any"} // which the webhook has ignore them
	former := w.evictWhole(job)
	stored, err := shared.Client.BatchV1().Jobs(namespace).Get(t.Context(), job.Name,
		metav1.GetOptions{})
	w.Check("get the Job", err)
	if rules := stored.Spec.PodFailurePolicy.Rules; *stored.Spec.BackoffLimit != 0 ||
		rules[0].Action != batchv1.PodFailurePolicyActionIgnore {
		t.Errorf("the Job has the backoffLimit %d and the rules %v", *stored.Spec.BackoffLimit, rules)
	}
	w.awaitAnew(former)
}

// Its author wants no retries, so the eviction is the end of it.
func TestAGangThatIsEvictedEndsIfItsJobIsNotRetried(t *testing.T) {
	w := gateWorld(t)
	job := gangJob("train", nodes, devices)
	job.Spec.BackoffLimit = new(int32)
	w.evictWhole(job)
	w.Await("a Job that has failed", func() bool {
		stored, err := shared.Client.BatchV1().Jobs(namespace).Get(t.Context(), job.Name,
			metav1.GetOptions{})
		w.Check("get the Job", err)
		return slices.ContainsFunc(stored.Status.Conditions, func(c batchv1.JobCondition) bool {
			return c.Type == batchv1.JobFailed && c.Status == corev1.ConditionTrue
		})
	})
}

// The eviction of one pod fails, and the controller is killed then. Nobody makes the others anew, so the
// next controller cannot tell by their number that the gang was being evicted.
func TestAnEvictionThatEndsHalfWayIsGoneOnWithByTheNextController(t *testing.T) {
	w := gateWorld(t)
	const held = "train-2" // not the first to go, and not the last
	var release func()
	w.runWithoutANode(func() {
		w.create(members("train", nodes, devices)...)
		release = w.holdEviction(held)
	})
	w.Await("an eviction that ends half-way", func() bool { return len(w.pods("train-")) < nodes })
	isLast := func(pod corev1.Pod) bool { return pod.Annotations["berth.dev/gang-eviction"] != "" }
	if !slices.ContainsFunc(w.pods("train-"), isLast) {
		t.Error("no pod says that its gang is being evicted")
	}
	controller.Kill()
	w.back(controller.Process)
	isHeld := func(pod corev1.Pod) bool { return pod.Name == held && isRunning(pod) }
	if !slices.ContainsFunc(w.pods("train-"), isHeld) {
		t.Errorf("%s was evicted", held)
	}
	release()
	w.Timeout = nextController
	w.Await("the eviction of what was left", func() bool { return len(w.pods("train-")) == 0 })
}

// evictWhole starts the Job of a gang that needs all nodes, and takes one of them away once it has been
// released. Returns the gang's pods when the others run.
func (w *world) evictWhole(job *batchv1.Job) (former []corev1.Pod) {
	w.Helper()
	return w.runWithoutANode(func() { w.start(job) })
}

// runWithoutANode has a gang that needs all nodes run without one of them, which goes away once it has
// been released. Returns the gang's pods when the others run.
func (w *world) runWithoutANode(start func()) (former []corev1.Pod) {
	w.Helper()
	w.away(shared.Scheduler)
	start()
	former = w.all("train-", nodes, "are released", isReleased)
	lost := former[0].Status.NominatedNodeName
	node, err := shared.Client.CoreV1().Nodes().Get(w.Context(), lost, metav1.GetOptions{})
	w.Check("get "+lost, err)
	w.Check("delete "+lost, shared.Client.CoreV1().Nodes().Delete(w.Context(), lost,
		metav1.DeleteOptions{}))
	w.Cleanup(func() {
		node.ResourceVersion, node.UID = "", ""
		_, err := shared.Client.CoreV1().Nodes().Create(context.WithoutCancel(w.Context()), node,
			metav1.CreateOptions{})
		w.Check("create "+lost, err)
	})
	w.back(shared.Scheduler)
	w.some("train-", nodes-1, nodes, "run", isRunning)
	return former
}

// awaitAnew waits for other pods, which hold nothing.
func (w *world) awaitAnew(former []corev1.Pod) {
	w.Helper()
	w.Await("other pods, which hold nothing", func() bool {
		pods := w.pods("train-")
		return len(pods) >= nodes-1 && !slices.ContainsFunc(pods, func(pod corev1.Pod) bool {
			return contains(former, pod) || !holdsNothing(pod)
		})
	})
}

// Nobody says goodbye: the next controller leads when the Lease has run out, and finds in the pods
// what was planned.
func TestTheControllerIsKilledWhileAGangIsReservedAndReleased(t *testing.T) {
	for name, c := range map[string]struct {
		world func(*testing.T) *world
		begin func(*world) ([]corev1.Pod, func())
	}{
		"reserved": {fresh, (*world).reserve},
		"released": {gateWorld, (*world).free}, // a PodGroup lets all pods go at once
	} {
		t.Run(name, func(t *testing.T) {
			w := c.world(t)
			pods, release := c.begin(w)
			controller.Kill()
			w.back(controller.Process)
			release()
			w.expectOn(promises(pods), w.all(heldGang, heldPods, "run", isRunning))
			w.expectNotPartlyFor(timeout)
		})
	}
}
