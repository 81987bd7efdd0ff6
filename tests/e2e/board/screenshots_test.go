//go:build browser

package board

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"berth.dev/berth/tests/e2e/box"
	"berth.dev/berth/tests/e2e/fleet"
)

// mostBytes is what a picture in the documentation may have.
const mostBytes = 200_000

var owners = []string{"alice", "bob", "carol", "dave", "nlp", "speech", "vision"}

// The pictures of docs/board.md: `make screenshots` keeps them. The cluster is the same each time.
func TestScreenshots(t *testing.T) {
	if *screenshots == "" {
		*screenshots = t.TempDir()
		t.Cleanup(func() { *screenshots = "" })
	}
	l := open(t, 1400, 900)
	l.run(chromedp.EmulateViewport(1400, 900))
	l.fill()
	l.breakNodes()
	l.queue()
	l.restart() // else the bars would tell of the empty cluster before
	l.Await("the cluster", func() bool {
		waiting, held := l.text("#waiting-summary"), l.text("#owner-rows")
		return strings.HasPrefix(waiting, "5 pods and gangs") && strings.Contains(held, "vision") && l.row("V100")[2] == 34 // the planned ones came last
	})
	for _, pool := range pools(nodesPerPool * 5) {
		if pool.Devices > 0 {
			l.awaitHeldBars(pool.Accelerator)
		}
	}
	l.picture("board.png")

	l.choose("#theme", "dark")
	l.search("alice")
	l.Await("the search", func() bool { return strings.Contains(l.text("#found-owners"), "alice holds") })
	l.said("mn2a-006")
	l.run(chromedp.KeyEvent(kb.Enter))
	l.Await("the node's verdicts", func() bool { return strings.Contains(l.text("#details-body"), "GPUIsLost") })
	l.picture("board-node.png")
	l.choose("#theme", "auto")
}

// awaitHeldBars waits until the bars of a pool show devices that are held.
func (l *look) awaitHeldBars(pool string) {
	l.Helper()
	bars := fmt.Sprintf("canvas.bars[data-pool=%s]", quoted(pool))
	l.Await("held devices in the bars of "+pool, func() bool { return len(l.drawnColours(bars, "held")) > 0 })
}

// picture keeps a screenshot, which must not be too large for the documentation.
func (l *look) picture(name string) {
	l.Helper()
	l.screenshot(name)
	info, err := os.Stat(filepath.Join(*screenshots, name))
	l.Check("find the screenshot", err)
	if info.Size() > mostBytes {
		l.Errorf("%s has %d bytes, more than %d", name, info.Size(), mostBytes)
	}
}

// fill has pods hold most devices.
func (l *look) fill() {
	l.Helper()
	random := rand.New(rand.NewPCG(22, 0))
	var pods []*corev1.Pod
	for _, pool := range pools(nodesPerPool * 5) {
		for i := range pool.Nodes {
			for left := pool.Devices; left > 0 && random.IntN(10) < 8; {
				devices := min(left, int64(1)<<random.IntN(4))
				pod := fleet.Ask{Resource: pool.Resource, Devices: devices}.Pod(fmt.Sprintf("train-%03d", len(pods)))
				pod.Spec.NodeName = pool.NodeName(i)
				pod.Annotations["berth.dev/created-by"] = owners[random.IntN(len(owners))]
				pods = append(pods, pod)
				left -= devices
			}
		}
	}
	l.Cleanup(l.deletePods)
	l.Check("create pods", fleet.CreatePods(l.Context(), shared.Client, pods))
}

// deletePods deletes all pods, also after a failure. kube-apiserver has a minute for each request, and
// thousands of pods may take longer: what it has deleted by then is gone.
func (l *look) deletePods() {
	pods := shared.Client.CoreV1().Pods(metav1.NamespaceDefault)
	err := box.Retry(context.WithoutCancel(l.Context()), l.Timeout, "all pods to be gone", func(ctx context.Context) error {
		return pods.DeleteCollection(ctx, metav1.DeleteOptions{GracePeriodSeconds: new(int64)}, metav1.ListOptions{})
	})
	if err != nil {
		l.Errorf("delete pods: %v", err) // they would disturb the tests that follow
	}
}

// breakNodes has some nodes broken for hours or days, and one cordoned.
func (l *look) breakNodes() {
	l.Helper()
	for node, fault := range map[string]struct {
		condition string
		since     time.Duration
	}{
		"mn2a-006":      {"GPUIsLost", 3 * time.Hour},
		"mn2a-029":      {"GPUPendingPage", 2 * 24 * time.Hour},
		"mn2b-a100-007": {"DStateProcess", 40 * time.Minute},
		"mn2b-a30-012":  {"GPUIsLost", 9 * time.Hour},
	} {
		l.fault(node, fault.condition) // mended when the test is over
		l.Check("date the fault of "+node, fleet.PatchCondition(l.Context(), shared.Client, node, corev1.NodeCondition{
			Type: corev1.NodeConditionType(fault.condition), Status: corev1.ConditionTrue,
			Reason: fault.condition, Message: "found by the detector", LastHeartbeatTime: metav1.Now(),
			LastTransitionTime: metav1.NewTime(time.Now().Add(-fault.since)),
		}))
	}
	l.cordon("mn2a-050", true)
	l.Cleanup(func() { l.cordon("mn2a-050", false) })
}

func (l *look) cordon(node string, unschedulable bool) {
	_, err := shared.Client.CoreV1().Nodes().Patch(context.WithoutCancel(l.Context()), node, types.MergePatchType,
		fmt.Appendf(nil, `{"spec":{"unschedulable":%t}}`, unschedulable), metav1.PatchOptions{})
	if err != nil {
		l.Errorf("cordon %s: %v", node, err)
	}
}

// queue has pods and a gang wait, each for another reason.
func (l *look) queue() {
	l.Helper()
	gpus := fleet.Ask{Resource: fleet.ResourceGPU, Devices: 8}
	for i := range 4 {
		pod := gpus.Pod(fmt.Sprintf("pretrain-%d", i))
		pod.Spec.SchedulerName = nobody
		pod.Annotations["berth.dev/created-by"] = "nlp"
		pod.Annotations["berth.dev/gang-name"], pod.Annotations["berth.dev/gang-size"] = "pretrain", "4"
		l.create(pod)
	}
	for i, node := range []string{"mn2a-001", "mn2a-002", "mn2a-036", "mn2a-037"} {
		l.nominate(fmt.Sprintf("pretrain-%d", i), node)
	}
	l.wait("finetune", "alice", fleet.Ask{Resource: fleet.ResourceGPU, Devices: 2})
	l.nominate("finetune", "mn2a-003")
	l.wait("sweep-17", "carol", fleet.Ask{Resource: fleet.ResourceGPU, Devices: 4, Accelerators: []string{"A100"}})
	l.refuse("sweep-17", "0/120 nodes are available: 17 Insufficient nvidia.com/gpu, 1 node(s) had condition DStateProcess, "+
		"102 node(s) had no accelerator A100.")
	l.wait("eval", "dave", fleet.Ask{Resource: fleet.ResourceMNCore, Devices: 4})
	gated := fleet.Ask{Resource: fleet.ResourceGPU, Devices: 1}.Pod("notebook")
	gated.Spec.SchedulingGates = []corev1.PodSchedulingGate{{Name: "kueue.x-k8s.io/admission"}}
	l.create(gated)
}

// refuse has a pod carry what kube-scheduler says when no node fits it.
func (l *look) refuse(pod, why string) {
	l.Helper()
	patch := fmt.Sprintf(`{"status":{"conditions":[{"type":"PodScheduled","status":"False","reason":"Unschedulable","message":%s}]}}`,
		quoted(why))
	_, err := shared.Client.CoreV1().Pods(metav1.NamespaceDefault).Patch(l.Context(), pod, types.StrategicMergePatchType,
		[]byte(patch), metav1.PatchOptions{}, "status")
	l.Check("refuse "+pod, err)
}
