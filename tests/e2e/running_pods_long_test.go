//go:build long

package e2e

import (
	"fmt"
	"strings"
	"testing"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/intstr"

	"berth.dev/berth/tests/e2e/box"
	"berth.dev/berth/tests/e2e/fleet"
)

const (
	runningPool   = "mn2b-a30"
	jobNameLabel  = "batch.kubernetes.io/job-name"
	evictionLimit = 3 * time.Minute // a minute's wait, the look at the node, and the Job's backoff
	avoidLabel    = "berth.dev/avoid"
)

// withJobs is a box of its own, whose Jobs' pods end when they are deleted.
func withJobs(t *testing.T) *world {
	t.Helper()
	b, err := box.Start(t.Context(), box.Options{Berth: &box.BerthOptions{},
		Stages: fleet.Stages + "\n---\n" + fleet.Fates})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(b.Stop)
	w := newWorld(t, b)
	w.Check("create nodes", createNodes(t.Context(), b))
	return w
}

// entitled is a controller that leads, with exactly the rights that it asks for.
func (w *world) entitled(config map[string]any) *box.Controller {
	w.Helper()
	c, err := w.box.NewController("running-pods", map[string]any{"controller": config})
	w.Check("make a controller", err)
	w.Check("grant its rights", w.box.GrantController(w.Context(), c))
	w.Check("start the controller", c.Start(w.Context()))
	w.Await("the controller to lead", func() bool { return w.leads(c) })
	return c
}

// createTrainer makes a Job of one pod with one device. With retries, its rules are those that
// admission writes.
func (w *world) createTrainer(name string, retries int32, annotations map[string]string) {
	w.Helper()
	pod := ofPool(runningPool)
	pod.Annotations = annotations
	pod.Labels = map[string]string{"train": name}
	pod.Spec.RestartPolicy = corev1.RestartPolicyNever
	job := &batchv1.Job{ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec: batchv1.JobSpec{BackoffLimit: &retries,
			PodReplacementPolicy: new(batchv1.Failed),
			Template: corev1.PodTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{Annotations: annotations, Labels: pod.Labels},
				Spec:       pod.Spec}}}
	if retries > 0 {
		job.Spec.PodFailurePolicy = &batchv1.PodFailurePolicy{Rules: []batchv1.PodFailurePolicyRule{{
			Action: batchv1.PodFailurePolicyActionCount,
			OnPodConditions: []batchv1.PodFailurePolicyOnPodConditionsPattern{{
				Type: corev1.DisruptionTarget, Status: corev1.ConditionTrue}}}}}
	}
	_, err := w.box.Client.BatchV1().Jobs(metav1.NamespaceDefault).Create(w.Context(), job,
		metav1.CreateOptions{})
	w.Check("create Job "+name, err)
}

// trainerOf waits until a pod of the Job runs that is not `but`, and returns it.
func (w *world) trainerOf(job string, but types.UID) corev1.Pod {
	w.Helper()
	var found corev1.Pod
	w.Await("a pod of "+job, func() bool {
		for _, pod := range w.pods() {
			if pod.Labels[jobNameLabel] == job && pod.UID != but && pod.DeletionTimestamp == nil &&
				pod.Status.Phase == corev1.PodRunning {
				found = pod
			}
		}
		return found.UID != ""
	})
	return found
}

// notEvicted returns what the pod was told.
func (w *world) notEvicted(pod corev1.Pod) []string {
	w.Helper()
	list, err := w.box.Client.CoreV1().Events(pod.Namespace).List(w.Context(), metav1.ListOptions{
		FieldSelector: "reason=NotEvicted,involvedObject.uid=" + string(pod.UID)})
	w.Check("list events", err)
	var messages []string
	for _, event := range list.Items {
		messages = append(messages, event.Message)
	}
	return messages
}

func (w *world) awaitEvent(pod corev1.Pod, part string) {
	w.Helper()
	w.Await(fmt.Sprintf("%s to be told %q", pod.Name, part), func() bool {
		return strings.Contains(strings.Join(w.notEvicted(pod), "\n"), part)
	})
}

// What can go on leaves a broken node; what cannot is told; a budget is respected until it allows it.
func TestRunningPodsLeaveABrokenNode(t *testing.T) {
	w := withJobs(t)
	w.createTrainer("goes-on", 6, map[string]string{"berth.dev/checkpoint": "true"})
	goesOn := w.trainerOf("goes-on", "")
	node := goesOn.Spec.NodeName
	w.createTrainer("stays", 0, nil)
	stays := w.trainerOf("stays", "")
	w.createTrainer("protected", 6, nil)
	protected := w.trainerOf("protected", "")
	for _, pod := range []corev1.Pod{stays, protected} {
		if pod.Spec.NodeName != node {
			t.Fatalf("%s is on %s, want it packed on %s", pod.Name, pod.Spec.NodeName, node)
		}
	}
	budgets := w.box.Client.PolicyV1().PodDisruptionBudgets(metav1.NamespaceDefault)
	_, err := budgets.Create(w.Context(), &policyv1.PodDisruptionBudget{
		ObjectMeta: metav1.ObjectMeta{Name: "protected"},
		Spec: policyv1.PodDisruptionBudgetSpec{MinAvailable: new(intstr.FromInt32(1)),
			Selector: &metav1.LabelSelector{MatchLabels: map[string]string{"train": "protected"}}}},
		metav1.CreateOptions{})
	w.Check("create a budget", err)

	c := w.entitled(map[string]any{
		"evict": []any{map[string]any{"condition": "GPUIsLost", "after": "1m"}}})
	w.breaks("GPUIsLost", "Exclude", node)
	broken := time.Now()
	w.Timeout = evictionLimit
	next := w.trainerOf("goes-on", goesOn.UID)
	took := time.Since(broken)
	t.Logf("%s after the fault the Job runs on %s", took.Round(time.Second), next.Spec.NodeName)
	if next.Spec.NodeName == node {
		t.Errorf("the next pod is on the broken node, too")
	}
	if took < time.Minute {
		t.Errorf("it was evicted after %s, want a minute at least", took)
	}

	w.awaitEvent(stays, "no rule of a Job retries")
	w.awaitEvent(protected, "PodDisruptionBudget")
	for _, pod := range []corev1.Pod{stays, protected} {
		if now := w.trainerOf(pod.Labels[jobNameLabel], ""); now.UID != pod.UID {
			t.Errorf("%s was evicted", pod.Name)
		}
	}
	w.Check("delete the budget", budgets.Delete(w.Context(), "protected", metav1.DeleteOptions{}))
	if moved := w.trainerOf("protected", protected.UID); moved.Spec.NodeName == node {
		t.Errorf("%s is on the broken node, too", moved.Name)
	}
	if told := w.notEvicted(stays); len(told) != 1 {
		t.Errorf("%s was told %q, want one event", stays.Name, told)
	}
	samples, err := c.Metrics(w.Context())
	w.Check("read the controller's metrics", err)
	if count := samples.Sum("berth_controller_writes_total", `write="eviction"`, `result="ok"`); count != 2 {
		t.Errorf("%v evictions are counted, want 2", count)
	}
}

// fail has the pod fail by itself, as kubelet reports it.
func (w *world) fail(pod corev1.Pod) {
	w.Helper()
	now := metav1.Now()
	pod.Status.Phase = corev1.PodFailed
	pod.Status.ContainerStatuses = []corev1.ContainerStatus{{Name: pod.Spec.Containers[0].Name,
		Image: pod.Spec.Containers[0].Image, State: corev1.ContainerState{
			Terminated: &corev1.ContainerStateTerminated{ExitCode: 1, StartedAt: now, FinishedAt: now}}}}
	_, err := w.box.Client.CoreV1().Pods(pod.Namespace).UpdateStatus(w.Context(), &pod,
		metav1.UpdateOptions{})
	w.Check("fail "+pod.Name, err)
}

// The node is the one that packing prefers, because another pod is there.
func TestJobAvoidsTheNodeOnWhichItFailed(t *testing.T) {
	w := withJobs(t)
	w.entitled(map[string]any{"avoidFor": "10m"})
	w.createTrainer("anchor", 0, nil)
	node := w.trainerOf("anchor", "").Spec.NodeName
	w.createTrainer("fails", 6, nil)
	first := w.trainerOf("fails", "")
	if first.Spec.NodeName != node {
		t.Fatalf("the first pod is on %s, want it packed on %s", first.Spec.NodeName, node)
	}
	w.fail(first)
	job := metav1.GetControllerOf(&first).UID
	w.Await("the node to name the Job", func() bool {
		got, err := w.box.Client.CoreV1().Nodes().Get(w.Context(), node, metav1.GetOptions{})
		w.Check("get "+node, err)
		return strings.HasPrefix(got.Annotations[avoidLabel], string(job)+"=")
	})
	w.Timeout = time.Minute
	second := w.trainerOf("fails", first.UID)
	if second.Spec.NodeName == node {
		t.Errorf("the second try is on %s, too", node)
	}
	// Another Job is not kept off.
	w.createTrainer("other", 0, nil)
	if other := w.trainerOf("other", ""); other.Spec.NodeName != node &&
		other.Spec.NodeName != second.Spec.NodeName {
		t.Errorf("another Job is on the empty node %s", other.Spec.NodeName)
	}
}
