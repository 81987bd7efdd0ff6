package install

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"berth.dev/berth/tests/e2e/box"
)

const (
	pollInterval = 100 * time.Millisecond
	awaitTimeout = time.Minute
	createdBy    = "berth.dev/created-by"
)

// world is the box as a test sees it.
type world struct{ box.Test }

func newWorld(t *testing.T) *world { return &world{box.Test{T: t, Timeout: awaitTimeout}} }

// awaitNone polls until there are none of these.
func (w *world) awaitNone(what string, left func() []string) {
	w.Helper()
	var found []string
	if !box.HoldsWithin(awaitTimeout, func() bool { found = left(); return len(found) == 0 }) {
		w.Fatalf("after %s there are %s: %s", awaitTimeout, what, strings.Join(found, ", "))
	}
}

// team makes a namespace of a mode; empty: without the label.
func (w *world) team(mode string) string {
	w.Helper()
	labels := map[string]string{}
	if mode != "" {
		labels[box.LabelAdmission] = mode
	}
	created, err := shared.Client.CoreV1().Namespaces().Create(w.Context(), &corev1.Namespace{
		ObjectMeta: metav1.ObjectMeta{GenerateName: "team-", Labels: labels},
	}, metav1.CreateOptions{})
	w.Check("create a namespace", err)
	w.Cleanup(func() { // what runs there would take devices from the next test
		_ = shared.Client.CoreV1().Namespaces().Delete(context.Background(), created.Name,
			metav1.DeleteOptions{})
	})
	w.Await("a service account in "+created.Name, func() bool {
		_, err := shared.Client.CoreV1().ServiceAccounts(created.Name).Get(w.Context(), "default",
			metav1.GetOptions{})
		return err == nil
	})
	return created.Name
}

// awaitAsked waits until the webhook changes pods: its certificates have been made.
func (w *world) awaitAsked() {
	w.Helper()
	team := w.team("enforce")
	w.Await("pods to be made safe", func() bool {
		made, err := w.try(team, carelessPod())
		return err == nil && isSafe(made)
	})
}

// try has kube-apiserver say what it would store.
func (w *world) try(namespace string, pod *corev1.Pod) (*corev1.Pod, error) {
	return shared.Client.CoreV1().Pods(namespace).Create(w.Context(), pod,
		metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
}

func (w *world) createJob(namespace string, job *batchv1.Job) *batchv1.Job {
	w.Helper()
	created, err := shared.Client.BatchV1().Jobs(namespace).Create(w.Context(), job,
		metav1.CreateOptions{})
	w.Check("create Job "+job.Name, err)
	return created
}

// running waits for a pod of the Job that runs on a node.
func (w *world) running(namespace, job string) corev1.Pod {
	w.Helper()
	var found corev1.Pod
	w.Await("a running pod of "+job, func() bool {
		pods := w.pods(namespace, batchv1.JobNameLabel+"="+job)
		running := slices.IndexFunc(pods, func(p corev1.Pod) bool {
			return p.Status.Phase == corev1.PodRunning
		})
		if running >= 0 {
			found = pods[running]
		}
		return running >= 0
	})
	return found
}

func (w *world) pods(namespace, selector string) []corev1.Pod {
	w.Helper()
	list, err := shared.Client.CoreV1().Pods(namespace).List(w.Context(),
		metav1.ListOptions{LabelSelector: selector})
	w.Check("list pods of "+namespace, err)
	return list.Items
}

// component are the pods of a component of the release that are not ending.
func (w *world) component(name string) []corev1.Pod {
	w.Helper()
	return w.lasting("app.kubernetes.io/component=" + name)
}

// components are those of all. One that is ending may be of the release before, whose rights are
// gone.
func (w *world) components() []corev1.Pod {
	w.Helper()
	return w.lasting("app.kubernetes.io/name=berth")
}

func (w *world) lasting(selector string) []corev1.Pod {
	w.Helper()
	return slices.DeleteFunc(w.pods(namespace, selector),
		func(p corev1.Pod) bool { return p.DeletionTimestamp != nil })
}

// awaitReady waits until a pod of the release is.
func (w *world) awaitReady(pod string) {
	w.Helper()
	w.Await(pod+" to be ready", func() bool {
		got, err := shared.Client.CoreV1().Pods(namespace).Get(w.Context(), pod, metav1.GetOptions{})
		w.Check("get "+pod, err)
		return slices.ContainsFunc(got.Status.Conditions, func(c corev1.PodCondition) bool {
			return c.Type == corev1.PodReady && c.Status == corev1.ConditionTrue
		})
	})
}

// restarts tells how often each container of the release's pods was started again.
func (w *world) restarts() map[string]int32 {
	w.Helper()
	restarts := map[string]int32{}
	for _, pod := range w.pods(namespace, "app.kubernetes.io/name=berth") {
		if pod.DeletionTimestamp != nil {
			continue // of a release that a former test has left behind
		}
		for _, status := range pod.Status.ContainerStatuses {
			restarts[pod.Name+"/"+status.Name] = status.RestartCount
		}
	}
	return restarts
}
