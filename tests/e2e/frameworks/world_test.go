//go:build frameworks

package frameworks

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"

	"berth.dev/berth/tests/e2e/box"
	"berth.dev/berth/tests/e2e/fleet"
	"berth.dev/berth/tests/e2e/manifests"
)

const (
	awaitTimeout = time.Minute
	fault        = "GPUIsLost"
	preferred    = "mn2b-a30" // pool of the examples' first choice, which only the extender heeds
)

// world is a namespace that enforces, by the eyes of its user.
type world struct {
	box.Test
	namespace string
	client    dynamic.Interface
	heard     *warnings
}

func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{Test: box.Test{T: t, Timeout: awaitTimeout}, heard: &warnings{},
		namespace: "team-" + strings.ToLower(strings.ReplaceAll(t.Name(), "/", "-"))}
	w.Check("create a namespace", shared.CreateNamespace(t.Context(), w.namespace,
		map[string]string{box.LabelAdmission: "enforce"}))
	config := rest.CopyConfig(shared.Config)
	config.Impersonate = rest.ImpersonationConfig{UserName: "alice", Groups: []string{"system:masters"}}
	config.WarningHandler = w.heard
	var err error
	w.client, err = dynamic.NewForConfig(config)
	w.Check("a client", err)
	w.Cleanup(w.heal)
	return w
}

// create makes the objects in the namespace and returns the last one.
func (w *world) create(objects []*unstructured.Unstructured) *unstructured.Unstructured {
	w.Helper()
	var got *unstructured.Unstructured
	for _, object := range objects {
		var err error
		got, err = w.client.Resource(manifests.ResourceOf(object)).Namespace(w.namespace).Create(w.Context(),
			object, metav1.CreateOptions{})
		w.Check("create "+object.GetKind()+" "+object.GetName(), err)
	}
	w.Cleanup(func() { // while its controller is there
		deleteAndAwait(w.Test, w.client.Resource(manifests.ResourceOf(got)).Namespace(w.namespace), got.GetName())
	})
	return got
}

// createOnce makes an object for the rest of the test, in the namespace if its kind has one.
func (w *world) createOnce(object *unstructured.Unstructured) {
	w.Helper()
	var resource dynamic.ResourceInterface = w.client.Resource(manifests.ResourceOf(object))
	if object.GetKind() == "LocalQueue" {
		resource = w.client.Resource(manifests.ResourceOf(object)).Namespace(w.namespace)
	}
	_, err := resource.Create(w.Context(), object, metav1.CreateOptions{})
	w.Check("create "+object.GetKind()+" "+object.GetName(), err)
	w.Cleanup(func() { deleteAndAwait(w.Test, resource, object.GetName()) })
}

// deleteAll deletes all objects of a resource in the namespace and waits until they are gone.
func (w *world) deleteAll(resource schema.GroupVersionResource) {
	ctx, objects := context.Background(), w.client.Resource(resource).Namespace(w.namespace)
	gone := box.HoldsWithin(awaitTimeout, func() bool {
		_ = objects.DeleteCollection(ctx, metav1.DeleteOptions{}, metav1.ListOptions{})
		list, err := objects.List(ctx, metav1.ListOptions{})
		return err == nil && len(list.Items) == 0
	})
	if !gone {
		w.Errorf("there still are %s in %s", resource.Resource, w.namespace)
	}
}

// now is the object as it is stored.
func (w *world) now(object *unstructured.Unstructured) *unstructured.Unstructured {
	w.Helper()
	got, err := w.client.Resource(manifests.ResourceOf(object)).Namespace(w.namespace).Get(w.Context(),
		object.GetName(), metav1.GetOptions{})
	w.Check("get "+object.GetName(), err)
	return got
}

// running waits until so many pods run that are not being deleted, and returns them.
func (w *world) running(count int) []corev1.Pod {
	w.Helper()
	var found []corev1.Pod
	w.Await(fmt.Sprintf("%d running pods", count), func() bool {
		list, err := shared.Client.CoreV1().Pods(w.namespace).List(w.Context(), metav1.ListOptions{})
		w.Check("list pods", err)
		found = slices.DeleteFunc(list.Items, func(p corev1.Pod) bool {
			return p.Status.Phase != corev1.PodRunning || p.DeletionTimestamp != nil
		})
		return len(found) == count
	})
	return found
}

// without waits until so many pods run and none of them is the one that is lost.
func (w *world) without(lost corev1.Pod, count int) []corev1.Pod {
	w.Helper()
	var found []corev1.Pod
	w.Await("another pod instead of "+lost.Name, func() bool {
		found = w.running(count)
		return !slices.ContainsFunc(found, func(p corev1.Pod) bool { return p.UID == lost.UID })
	})
	return found
}

// labelled is the first of the pods with that label.
func labelled(w *world, pods []corev1.Pod, label, value string) corev1.Pod {
	w.Helper()
	i := slices.IndexFunc(pods, func(p corev1.Pod) bool { return p.Labels[label] == value })
	if i < 0 {
		w.Fatalf("no pod with %s=%s", label, value)
	}
	return pods[i]
}

// newcomers are those pods that were not there before.
func newcomers(before, now []corev1.Pod) []corev1.Pod {
	return slices.DeleteFunc(slices.Clone(now), func(p corev1.Pod) bool {
		return slices.ContainsFunc(before, func(old corev1.Pod) bool { return old.UID == p.UID })
	})
}

// expectPlaced fails the test unless the pods are Guaranteed, and those with an accelerator on a
// node of the first choice that is well.
func (w *world) expectPlaced(pods []corev1.Pod, broken ...string) {
	w.Helper()
	for _, p := range pods {
		if p.Status.QOSClass != corev1.PodQOSGuaranteed {
			w.Errorf("%s is %s", p.Name, p.Status.QOSClass)
		}
		if slices.Contains(broken, p.Spec.NodeName) {
			w.Errorf("%s is on %s, which is broken", p.Name, p.Spec.NodeName)
		}
		if pool := poolFor(p); !strings.HasPrefix(p.Spec.NodeName, pool+"-") {
			w.Errorf("%s is on %s, want a node of %s", p.Name, p.Spec.NodeName, pool)
		}
	}
}

func poolFor(p corev1.Pod) string {
	for _, c := range p.Spec.Containers {
		if _, asks := c.Resources.Limits[fleet.ResourceGPU]; asks {
			return preferred
		}
	}
	return "cpu"
}

// kill ends a pod as the kernel does when it uses more memory than its limit.
func (w *world) kill(p corev1.Pod) { w.doom(p, fleet.FateOOMKilled) }

// finish ends the pods well.
func (w *world) finish(pods ...corev1.Pod) {
	w.Helper()
	for _, p := range pods {
		w.doom(p, fleet.FateSucceeded)
	}
}

func (w *world) doom(p corev1.Pod, fate string) {
	w.Helper()
	w.Check("doom "+p.Name, fleet.Doom(w.Context(), shared.Client, w.namespace, p.Name, fate))
}

// delete ends a pod as kubectl delete does.
func (w *world) delete(p corev1.Pod) {
	w.Helper()
	w.Check("delete "+p.Name, shared.Client.CoreV1().Pods(p.Namespace).Delete(w.Context(), p.Name,
		metav1.DeleteOptions{}))
}

// breakNode has a detector publish a fault of the node, and returns when Berth knows.
func (w *world) breakNode(node string) {
	w.Helper()
	before := w.brokenNodes()
	w.Check("break "+node, fleet.SetCondition(w.Context(), shared.Client, node, fault, true))
	w.Await("Berth to know of the fault", func() bool { return w.brokenNodes() > before })
}

func (w *world) brokenNodes() float64 {
	w.Helper()
	samples, err := shared.Berth.Metrics(w.Context())
	w.Check("read Berth's metrics", err)
	return samples.Sum("berth_nodes_by_condition")
}

// drain evicts a pod, as an operator does with the pods of a broken node.
func (w *world) drain(p corev1.Pod) {
	w.Helper()
	w.Check("evict "+p.Name, shared.Client.CoreV1().Pods(p.Namespace).EvictV1(w.Context(),
		&policyv1.Eviction{ObjectMeta: metav1.ObjectMeta{Name: p.Name, Namespace: p.Namespace}}))
}

// heal takes the fault off all nodes, as if it had been gone for an hour.
func (w *world) heal() {
	ctx := context.Background()
	nodes, err := shared.Client.CoreV1().Nodes().List(ctx, metav1.ListOptions{})
	if err != nil {
		w.Errorf("list nodes: %v", err)
		return
	}
	hourAgo := metav1.NewTime(time.Now().Add(-time.Hour))
	for _, node := range nodes.Items {
		for _, condition := range node.Status.Conditions {
			if condition.Type != fault || condition.Status != corev1.ConditionTrue {
				continue
			}
			condition.Status, condition.LastTransitionTime = corev1.ConditionFalse, hourAgo
			if err := fleet.PatchCondition(ctx, shared.Client, node.Name, condition); err != nil {
				w.Errorf("heal %s: %v", node.Name, err)
			}
		}
	}
}

// expectForetold fails the test unless the author has heard what becomes of the container.
func (w *world) expectForetold(container string) {
	w.Helper()
	want := "berth, pods: cpu and memory of '" + container + "' set to"
	if !w.heard.has(want) {
		w.Errorf("heard %q, want %q among it", w.heard.all(), want)
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

// has tells whether one of them begins so.
func (w *warnings) has(prefix string) bool {
	return slices.ContainsFunc(w.all(), func(text string) bool {
		return strings.HasPrefix(text, prefix)
	})
}

func (w *warnings) all() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.texts)
}
