//go:build frameworks

package frameworks

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
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"

	"berth.dev/berth/tests/e2e/box"
	"berth.dev/berth/tests/e2e/fleet"
	"berth.dev/berth/tests/e2e/manifests"
	"berth.dev/berth/tests/e2e/witness"
)

const (
	kueueGate = "kueue.x-k8s.io/admission"
	groupName = "kueue.x-k8s.io/pod-group-name" // a label
	groupSize = "kueue.x-k8s.io/pod-group-total-count"
)

// What is in a queue starts when Kueue says so; Berth plans what Kueue has let go.
func TestGangsInAQueueOfKueue(t *testing.T) {
	kueue("batch/job", "pod").start(t)
	t.Run("Jobs", testQueuedGangsOfJobs)
	t.Run("groups", testQueuedGangsOfGroups)
	t.Run("times", testTimesOfQueuedGangs)
}

// queuedGangs is a namespace with a queue that has quota for so many GPUs.
func queuedGangs(t *testing.T, gpus int64) *gangWorld {
	t.Helper()
	w := newGangWorld(t)
	for _, object := range objectsIn(t, "queues.yaml") {
		if object.GetKind() == "ClusterQueue" {
			setQuota(w, object, fleet.ResourceGPU, gpus)
		}
		w.createOnce(object)
	}
	w.Cleanup(w.clear) // before the queues, and while Kueue is there
	return w
}

// clear deletes Jobs, pods and what Kueue has made of them, all at the same time: it makes a workload
// anew for what is still there, and lets pods of a group go when their workload is gone.
func (w *gangWorld) clear() {
	ctx, core := context.Background(), shared.Client.CoreV1().Pods(w.namespace)
	batch, queued := shared.Client.BatchV1().Jobs(w.namespace),
		w.client.Resource(workloads).Namespace(w.namespace)
	now := metav1.DeleteOptions{GracePeriodSeconds: new(int64),
		PropagationPolicy: new(metav1.DeletePropagationBackground)}
	all := metav1.ListOptions{}
	gone := box.HoldsWithin(awaitTimeout, func() bool {
		_ = batch.DeleteCollection(ctx, now, all)
		_ = core.DeleteCollection(ctx, now, all)
		_ = queued.DeleteCollection(ctx, now, all)
		jobs, jobsErr := batch.List(ctx, all)
		pods, podsErr := core.List(ctx, all)
		waiting, waitingErr := queued.List(ctx, all)
		return jobsErr == nil && podsErr == nil && waitingErr == nil &&
			len(jobs.Items)+len(pods.Items)+len(waiting.Items) == 0
	})
	if !gone {
		w.Errorf("there still are Jobs, pods or workloads in %s", w.namespace)
	}
}

func setQuota(w *gangWorld, queue *unstructured.Unstructured, resource string, quota int64) {
	w.Helper()
	groups, _, err := unstructured.NestedSlice(queue.Object, "spec", "resourceGroups")
	w.Check("read the quota", err)
	flavor := groups[0].(map[string]any)["flavors"].([]any)[0].(map[string]any)
	for _, each := range flavor["resources"].([]any) {
		if fields := each.(map[string]any); fields["name"] == resource {
			fields["nominalQuota"] = fmt.Sprint(quota)
		}
	}
	w.Check("set the quota",
		unstructured.SetNestedSlice(queue.Object, groups, "spec", "resourceGroups"))
}

// queuedJob is an Indexed Job in the queue; a gang if it is to be one.
func (w *gangWorld) queuedJob(name string, pods int, devices int64, isGang bool) {
	w.Helper()
	pod, number := ask(devices).Pod(""), int32(pods)
	job := &batchv1.Job{
		ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{queueLabel: "team"}},
		Spec: batchv1.JobSpec{CompletionMode: new(batchv1.IndexedCompletion), Completions: &number,
			Parallelism: &number, Template: corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{
				Labels: pod.Labels, Annotations: pod.Annotations}, Spec: pod.Spec}},
	}
	if isGang {
		job.Annotations = map[string]string{witness.Gate: "true"}
	}
	_, err := shared.Client.BatchV1().Jobs(w.namespace).Create(w.Context(), job,
		metav1.CreateOptions{})
	w.Check("create the Job", err)
}

// queuedGroup is a group of plain pods in the queue, which says its size to Kueue alone.
func (w *gangWorld) queuedGroup(name string, pods int, devices int64, isGang bool) {
	w.Helper()
	var group []*corev1.Pod
	for i := range pods {
		pod := ask(devices).Pod(fmt.Sprintf("%s-%d", name, i))
		pod.Namespace = w.namespace
		pod.Labels[queueLabel], pod.Labels[groupName] = "team", name
		pod.Annotations[groupSize] = fmt.Sprint(pods)
		if isGang {
			pod.Annotations[witness.Gate] = "true"
		}
		group = append(group, pod)
	}
	w.Check("create the group", fleet.CreatePods(w.Context(), shared.Client, group))
}

// There is quota for one of two Jobs. The other one has no pods before Kueue starts it.
func testQueuedGangsOfJobs(t *testing.T) {
	w := queuedGangs(t, 4*gangDevices)
	w.fill(0, 8)
	w.queuedJob("first", 4, gangDevices, true)
	pods := w.runsWhole(w.gangOf("first", 4), 4, 1)
	w.queuedJob("second", 4, gangDevices, true)
	w.awaitQueued("second")
	w.members(4, "run alone", runs)

	w.finish(pods...)
	second := w.gangOf("second", 4)
	w.runsWhole(second, 4, 1)
	w.expectStarts(second, 1)
}

// There is quota for one of two groups. The pods of the other one are there, and wait for Kueue.
func testQueuedGangsOfGroups(t *testing.T) {
	w := queuedGangs(t, 4*gangDevices)
	w.fill(0, 8)
	w.queuedGroup("first", 4, gangDevices, true)
	pods := w.runsWhole("first", 4, 1)
	w.queuedGroup("second", 4, gangDevices, true)
	w.awaitQueued("second")
	w.Await("berth explain --gang to say that it waits for Kueue", func() bool {
		said, err := w.explain("second")
		return err == nil && strings.Contains(said.Text, "gang "+w.namespace+"/second of 4: collecting") &&
			strings.Count(said.Text, "held back by "+kueueGate) == 4
	})
	if held := w.seen.Courses()["second"].Held; !held.IsZero() {
		t.Errorf("the second gang had a node at %s, before Kueue has let it go", held)
	}

	w.finish(pods...)
	w.runsWhole("second", 4, 1)
	w.expectStarts("second", 1)
}

// gangOf waits until a gang whose name begins so has so many pods, and returns its whole name.
func (w *gangWorld) gangOf(name string, count int) string {
	w.Helper()
	pods := w.members(count, "are of "+name, func(pod corev1.Pod) bool {
		return strings.HasPrefix(pod.Annotations[witness.Name], name)
	})
	return pods[0].Annotations[witness.Name]
}

// awaitQueued waits until Kueue has said that there is no quota for what has that name.
func (w *gangWorld) awaitQueued(name string) {
	w.Helper()
	w.Await("Kueue to keep "+name+" in the queue", func() bool {
		list, err := w.client.Resource(workloads).Namespace(w.namespace).List(w.Context(),
			metav1.ListOptions{})
		w.Check("list workloads", err)
		return slices.ContainsFunc(list.Items, func(each unstructured.Unstructured) bool {
			return isWorkloadOf(each, name) && !manifests.HasCondition(&each, "Admitted") &&
				saysPending(each)
		})
	})
}

// isWorkloadOf tells whether it is that of a group, or of an object of that name.
func isWorkloadOf(workload unstructured.Unstructured, name string) bool {
	return workload.GetName() == name ||
		slices.ContainsFunc(workload.GetOwnerReferences(), func(owner metav1.OwnerReference) bool {
			return owner.Name == name
		})
}

func saysPending(workload unstructured.Unstructured) bool {
	conditions, _ := manifests.At(&workload, "status", "conditions").([]any)
	return slices.ContainsFunc(conditions, func(each any) bool {
		fields := each.(map[string]any)
		return fields["type"] == "QuotaReserved" && fields["status"] == "False"
	})
}

const (
	timedPods    = 16
	timedDevices = 4
	timedRounds  = 7
)

// How long it takes from Kueue's admission to the last binding, with and without a gang.
func testTimesOfQueuedGangs(t *testing.T) {
	w := queuedGangs(t, timedPods*timedDevices)
	for _, kind := range []struct {
		name   string
		create func(name string, pods int, devices int64, isGang bool)
	}{{"Job", w.queuedJob}, {"group of pods", w.queuedGroup}} {
		took := map[bool][]time.Duration{}
		for round := range timedRounds {
			for _, isGang := range []bool{round%2 == 0, round%2 != 0} {
				name := fmt.Sprintf("timed-%d-%t", round, isGang)
				took[isGang] = append(took[isGang], w.admittedToBound(name, func() {
					kind.create(name, timedPods, timedDevices, isGang)
				}))
				w.endAll()
			}
		}
		for _, isGang := range []bool{false, true} {
			slices.Sort(took[isGang])
			t.Logf("%s of %d, gang: %t: from Kueue's admission to the last binding: median %s, %s to %s",
				kind.name, timedPods, isGang, took[isGang][timedRounds/2], took[isGang][0],
				took[isGang][timedRounds-1])
		}
	}
}

// admittedToBound is the time from Kueue's admission of what is created to its last binding.
func (w *gangWorld) admittedToBound(name string, create func()) time.Duration {
	w.Helper()
	ctx, cancel := context.WithTimeout(w.Context(), awaitTimeout)
	defer cancel()
	admissions, err := w.client.Resource(workloads).Namespace(w.namespace).Watch(ctx,
		metav1.ListOptions{})
	w.Check("watch workloads", err)
	bindings, err := shared.Client.CoreV1().Pods(w.namespace).Watch(ctx, metav1.ListOptions{})
	w.Check("watch pods", err)
	create()
	var admitted, last time.Time
	for bound := map[types.UID]bool{}; len(bound) < timedPods || admitted.IsZero(); {
		select {
		case event := <-admissions.ResultChan():
			workload, is := event.Object.(*unstructured.Unstructured)
			if is && admitted.IsZero() && manifests.HasCondition(workload, "Admitted") {
				admitted = time.Now()
			}
		case event := <-bindings.ResultChan():
			pod, is := event.Object.(*corev1.Pod)
			if is && event.Type != watch.Deleted && pod.Spec.NodeName != "" && !bound[pod.UID] {
				bound[pod.UID], last = true, time.Now()
			}
		case <-ctx.Done():
			w.Fatalf("waited %s in vain for %s to be bound: %d of %d pods are, admitted at %s",
				awaitTimeout, name, len(bound), timedPods, admitted)
		}
	}
	return last.Sub(admitted).Round(time.Millisecond)
}

// endAll has all pods succeed, and takes away what is left of them.
func (w *gangWorld) endAll() {
	w.Helper()
	w.finish(w.running(timedPods)...)
	w.Await("Kueue to know that it is over", func() bool {
		list, err := w.client.Resource(workloads).Namespace(w.namespace).List(w.Context(),
			metav1.ListOptions{})
		w.Check("list workloads", err)
		return !slices.ContainsFunc(list.Items, func(each unstructured.Unstructured) bool {
			return !manifests.HasCondition(&each, "Finished")
		})
	})
	w.clear()
}
