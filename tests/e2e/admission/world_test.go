package admission

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"berth.dev/berth/tests/e2e/box"
	"berth.dev/berth/tests/e2e/fleet"
)

const (
	awaitTimeout = 30 * time.Second
)

// author is who creates things, unless a test says otherwise.
const author = "alice"

// world is a namespace as a test sees it, by the eyes of one user.
type world struct {
	box.Test
	namespace string
	client    *kubernetes.Clientset
	heard     *warnings // beside the answers to this user
}

// in makes a namespace of a mode (empty: no label) about which the default server is asked.
func in(t *testing.T, mode string, labels ...string) *world {
	t.Helper()
	return inServers(t, serverDefault, mode, labels...)
}

// inServers makes a namespace of a mode about which the server is asked; labels are further keys and
// values of it in turn.
func inServers(t *testing.T, server, mode string, labels ...string) *world {
	t.Helper()
	all := map[string]string{labelServer: server}
	if mode != "" {
		all[box.LabelAdmission] = mode
	}
	for i := 0; i < len(labels); i += 2 {
		all[labels[i]] = labels[i+1]
	}
	namespace, err := shared.Client.CoreV1().Namespaces().Create(t.Context(), &corev1.Namespace{
		ObjectMeta: metav1.ObjectMeta{GenerateName: "team-", Labels: all},
	}, metav1.CreateOptions{})
	w := &world{Test: box.Test{T: t, Timeout: awaitTimeout}, namespace: namespace.Name}
	w.Check("create the namespace", err)
	w.Cleanup(func() { // Jobs that retry for ever would keep the box busy
		_ = shared.Client.CoreV1().Namespaces().Delete(context.Background(), w.namespace,
			metav1.DeleteOptions{})
	})
	w.Await("a service account in "+w.namespace, func() bool {
		_, err := shared.Client.CoreV1().ServiceAccounts(w.namespace).Get(t.Context(), "default",
			metav1.GetOptions{})
		return err == nil
	})
	return w.as(author)
}

// as is the same namespace by the eyes of another user, who may do everything.
func (w *world) as(user string, groups ...string) *world {
	w.Helper()
	other := &world{Test: w.Test, namespace: w.namespace, heard: &warnings{}}
	config := rest.CopyConfig(shared.Config)
	config.Impersonate = rest.ImpersonationConfig{
		UserName: user, Groups: append([]string{"system:masters"}, groups...)}
	config.WarningHandler = other.heard
	var err error
	other.client, err = kubernetes.NewForConfig(config)
	w.Check("a client of "+user, err)
	return other
}

// within is the same world in a subtest.
func (w *world) within(t *testing.T) *world {
	inner := *w
	inner.T = t
	return &inner
}

func (w *world) awaitFor(timeout time.Duration, what string, holds func() bool) {
	w.Helper()
	box.Test{T: w.T, Timeout: timeout}.Await(what, holds)
}

// setMode gives the namespace another mode.
func (w *world) setMode(mode string) {
	w.Helper()
	patch := fmt.Sprintf(`{"metadata":{"labels":{%q:%q}}}`, box.LabelAdmission, mode)
	_, err := shared.Client.CoreV1().Namespaces().Patch(w.Context(), w.namespace,
		types.MergePatchType, []byte(patch), metav1.PatchOptions{})
	w.Check("label the namespace", err)
	w.Await("kube-apiserver to route by the new label", func() bool {
		got, err := w.dryRun(pod(container("probe", "", "")))
		// kube-apiserver may route to the validating webhook already, and not to the mutating one.
		if apierrors.IsForbidden(err) || apierrors.IsInvalid(err) {
			return false
		}
		w.Check("try a pod", err)
		w.heard.forget()
		return (got.Annotations[createdBy] != "") == (mode == "enforce")
	})
}

// tryPod creates a pod if it may be.
func (w *world) tryPod(pod *corev1.Pod) (*corev1.Pod, error) {
	return w.client.CoreV1().Pods(w.namespace).Create(w.Context(), pod, metav1.CreateOptions{})
}

// dryRun has kube-apiserver say what it would store.
func (w *world) dryRun(pod *corev1.Pod) (*corev1.Pod, error) {
	return w.client.CoreV1().Pods(w.namespace).Create(w.Context(), pod,
		metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
}

func (w *world) createPod(pod *corev1.Pod) *corev1.Pod {
	w.Helper()
	got, err := w.tryPod(pod)
	w.Check("create the pod", err)
	return got
}

func (w *world) createJob(job *batchv1.Job) *batchv1.Job {
	w.Helper()
	got, err := w.client.BatchV1().Jobs(w.namespace).Create(w.Context(), job, metav1.CreateOptions{})
	w.Check("create the Job", err)
	return got
}

func (w *world) job(name string) *batchv1.Job {
	w.Helper()
	got, err := w.client.BatchV1().Jobs(w.namespace).Get(w.Context(), name, metav1.GetOptions{})
	w.Check("get the Job", err)
	return got
}

func (w *world) pods() []corev1.Pod {
	w.Helper()
	list, err := w.client.CoreV1().Pods(w.namespace).List(w.Context(), metav1.ListOptions{})
	w.Check("list pods", err)
	return list.Items
}

// running waits until so many pods run that are not being deleted, and returns them.
func (w *world) running(count int) []corev1.Pod {
	w.Helper()
	var found []corev1.Pod
	w.Await(fmt.Sprintf("%d running pods", count), func() bool {
		found = slices.DeleteFunc(w.pods(), func(p corev1.Pod) bool {
			return p.Status.Phase != corev1.PodRunning || p.DeletionTimestamp != nil
		})
		return len(found) == count
	})
	return found
}

func (w *world) doom(pod, fate string) {
	w.Helper()
	w.Check("doom "+pod, fleet.Doom(w.Context(), shared.Client, w.namespace, pod, fate))
}

// expectWarned fails the test unless one of the warnings so far has all of the parts.
func (w *world) expectWarned(parts ...string) {
	w.Helper()
	for _, text := range w.heard.all() {
		missing := slices.ContainsFunc(parts, func(part string) bool {
			return !strings.Contains(text, part)
		})
		if !missing {
			return
		}
	}
	w.Errorf("no warning has all of %q; there are %q", parts, w.heard.all())
}

// expectSilence fails the test if there were warnings so far.
func (w *world) expectSilence() {
	w.Helper()
	if texts := w.heard.all(); len(texts) > 0 {
		w.Errorf("unexpected warnings %q", texts)
	}
}

// warnings collects what kube-apiserver tells a client beside its answers. Thread-safe.
type warnings struct {
	mu    sync.Mutex
	texts []string
}

func (w *warnings) HandleWarningHeader(_ int, _ string, text string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.texts = append(w.texts, text)
}

func (w *warnings) all() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.texts)
}

func (w *warnings) forget() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.texts = nil
}

// acceleratorOf is the model of a node, empty if it has none.
func (w *world) acceleratorOf(node string) string {
	w.Helper()
	got, err := shared.Client.CoreV1().Nodes().Get(w.Context(), node, metav1.GetOptions{})
	w.Check("get "+node, err)
	return got.Labels[acceleratorLabel]
}
