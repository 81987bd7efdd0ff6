// Package nomination holds kube-scheduler to what Berth's planner relies on: what becomes of a pod
// whose status.nominatedNodeName somebody else has written. Kubernetes documents the field as its own
// and tolerates others' writes, so each supported version has to be asked. Berth is not there.
package nomination

import (
	"context"
	"flag"
	"fmt"
	"os"
	"sync/atomic"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	schedulerconfig "k8s.io/kube-scheduler/config/v1"

	"berth.dev/berth/tests/e2e/box"
	"berth.dev/berth/tests/e2e/fleet"
)

// `make check-all` names those of the other versions of Kubernetes.
var (
	apiServer = flag.String("kube-apiserver", "kube-apiserver", "program of .cache/bin")
	scheduler = flag.String("kube-scheduler", "kube-scheduler",
		"program of .cache/bin that is held to the contract")
	podGroups = flag.Bool("pod-groups", false,
		"both are of Kubernetes 1.37, and their feature GenericWorkload is on")
)

const (
	awaitTimeout = 30 * time.Second
	devices      = 8 // of each node
	gate         = "e2e.berth.dev/gate"
)

var (
	shared    *box.Box
	extenders *clerk
	podNumber atomic.Int64

	pool  = fleet.Pool{Name: "gpu", Nodes: 3, Cores: 64, MemoryGiB: 512, Resource: fleet.ResourceGPU, Devices: devices}
	nodes = []string{pool.NodeName(0), pool.NodeName(1), pool.NodeName(2)}
)

func TestMain(m *testing.M) {
	flag.Parse()
	extenders = startClerk()
	os.Exit(box.RunSuite(m, box.Suite{
		Options: box.Options{
			Programs:  map[string]string{"kube-apiserver": *apiServer, "kube-scheduler": *scheduler},
			PodGroups: *podGroups,
			Scheduler: func(config *schedulerconfig.KubeSchedulerConfiguration) {
				config.PodInitialBackoffSeconds, config.PodMaxBackoffSeconds = new(int64(1)), new(int64(1))
				extenders.register(config)
			},
		},
		Fill: func(ctx context.Context, b *box.Box) error {
			shared = b
			return fleet.CreateNodes(ctx, b.Client, []fleet.Pool{pool})
		},
	}))
}

// world is the box as a test sees it.
type world struct {
	box.Test
	clerk  *clerk
	queued int // pods that were created while kube-scheduler is busy
}

// fresh is the box without pods, and with every node free.
func fresh(t *testing.T) *world {
	t.Helper()
	w := &world{Test: box.Test{T: t, Timeout: awaitTimeout}, clerk: extenders}
	w.Check("delete pods", shared.Client.CoreV1().Pods(metav1.NamespaceDefault).DeleteCollection(
		t.Context(), metav1.DeleteOptions{GracePeriodSeconds: new(int64)}, metav1.ListOptions{}))
	w.Await("pods to be gone", func() bool {
		list, err := shared.Client.CoreV1().Pods(metav1.NamespaceDefault).List(t.Context(),
			metav1.ListOptions{})
		w.Check("list pods", err)
		return len(list.Items) == 0
	})
	return w
}

// pod makes a pod that asks for so many GPUs.
func pod(count int64) *corev1.Pod {
	ask := fleet.Ask{Name: "gpu", Resource: fleet.ResourceGPU, Devices: count, Cores: 1, MemoryGiB: 1}
	return ask.Pod(fmt.Sprintf("gpu-%03d", podNumber.Add(1)))
}

func gated(pod *corev1.Pod) *corev1.Pod {
	pod.Spec.SchedulingGates = []corev1.PodSchedulingGate{{Name: gate}}
	return pod
}

func (w *world) create(pods ...*corev1.Pod) {
	w.Helper()
	for _, pod := range pods {
		_, err := shared.Client.CoreV1().Pods(pod.Namespace).Create(w.Context(), pod,
			metav1.CreateOptions{})
		w.Check("create "+pod.Name, err)
		if len(pod.Spec.SchedulingGates) == 0 {
			w.queued++
		}
	}
}

func (w *world) get(pod *corev1.Pod) *corev1.Pod {
	w.Helper()
	got, err := shared.Client.CoreV1().Pods(pod.Namespace).Get(w.Context(), pod.Name,
		metav1.GetOptions{})
	w.Check("get "+pod.Name, err)
	return got
}

// patch merges a patch into the pod, or into a subresource of it.
func (w *world) patch(pod *corev1.Pod, patch string, subresource ...string) *corev1.Pod {
	w.Helper()
	got, err := shared.Client.CoreV1().Pods(pod.Namespace).Patch(w.Context(), pod.Name,
		types.MergePatchType, []byte(patch), metav1.PatchOptions{}, subresource...)
	w.Check("patch "+pod.Name, err)
	return got
}

// nominate writes what the planner writes.
func (w *world) nominate(pod *corev1.Pod, node string) *corev1.Pod {
	w.Helper()
	return w.patch(pod, fmt.Sprintf(`{"metadata": {"annotations": {"berth.dev/plan": %q}},
		"status": {"nominatedNodeName": %[1]q}}`, node), "status")
}

func (w *world) ungate(pod *corev1.Pod) {
	w.Helper()
	w.patch(pod, `{"spec": {"schedulingGates": null}}`)
}

// placed waits until the pod has a node and returns it.
func (w *world) placed(pod *corev1.Pod) string {
	w.Helper()
	w.Await("a node for "+pod.Name, func() bool { return w.get(pod).Spec.NodeName != "" })
	return w.get(pod).Spec.NodeName
}

// awaitRefusal waits until kube-scheduler says why it finds no node for the pod.
func (w *world) awaitRefusal(pod *corev1.Pod) {
	w.Helper()
	w.Await("a refusal of "+pod.Name, func() bool { return refusal(w.get(pod)) != "" })
}

// refusal is what kube-scheduler says of the pod, empty if it has not refused it.
func refusal(pod *corev1.Pod) string {
	for _, condition := range pod.Status.Conditions {
		if condition.Type == corev1.PodScheduled && condition.Status == corev1.ConditionFalse &&
			condition.Reason == corev1.PodReasonUnschedulable {
			return condition.Message
		}
	}
	return ""
}

// busy has kube-scheduler wait for the clerk's answer about a pod without devices, so that all others
// stay in its queue until release is called.
func (w *world) busy() (release func()) {
	w.Helper()
	head := pod(0)
	release = w.clerk.hold(head.Name)
	w.Cleanup(release)
	w.create(head)
	w.Await("a question about "+head.Name, func() bool { return len(w.clerk.about(head.Name)) > 0 })
	w.queued = 0
	return release
}

// awaitSeen returns when kube-scheduler, while busy, has seen all that was written before. It hears of
// pods in the order of writes, and counts those in its queue.
func (w *world) awaitSeen() {
	w.Helper()
	w.create(pod(0))
	w.Await("kube-scheduler to see what was written", func() bool {
		samples, err := shared.SchedulerMetrics(w.Context())
		w.Check("scrape kube-scheduler", err)
		return samples.Sum("scheduler_pending_pods", `queue="active"`) == float64(w.queued)
	})
}

// pass has kube-scheduler place a pod, after which it has seen all that was written before.
func (w *world) pass() {
	w.Helper()
	mark := pod(0)
	w.create(mark)
	w.placed(mark)
}
