package e2e

import (
	"context"
	"slices"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"berth.dev/berth/tests/e2e/fleet"
	"berth.dev/berth/tests/e2e/judge"
)

// setter puts a condition on a node, or takes it off.
type setter func(
	ctx context.Context, client kubernetes.Interface, node, condition string, broken bool) error

func byStage(
	ctx context.Context, client kubernetes.Interface, node, condition string, broken bool,
) error {
	if !broken {
		condition = ""
	}
	return fleet.SetFaultStage(ctx, client, node, condition)
}

func TestNoPodLandsOnABrokenNode(t *testing.T) {
	ways := map[string]setter{"patch": fleet.SetCondition, "stage": byStage}
	for _, condition := range []string{
		"GPUIsLost", "GPURuntimeError", "GPUPendingPage", "DStateProcess",
	} {
		for way, set := range ways {
			t.Run(condition+" by "+way, func(t *testing.T) { arriveWhileBroken(t, condition, set) })
		}
	}
}

// arriveWhileBroken has pods arrive before, while and after two of four nodes are broken, among them
// the one that Berth likes best, because it has begun to fill it.
func arriveWhileBroken(t *testing.T, condition string, set setter) {
	w := fresh(t)
	favourite := w.place(gpus(1, "V100"))
	broken := []string{favourite, otherThan(favourite, nodesOf("mn2a"))}
	pods := w.arrive(2)
	for _, node := range broken {
		w.Check("break", set(t.Context(), w.box.Client, node, condition, true))
	}
	pods = append(pods, w.arrive(2)...) // while the news is on its way
	w.awaitEffect(condition, "Exclude", 2)
	w.avoid(broken, w.arrive(9))
	for _, node := range broken {
		w.Check("repair", set(t.Context(), w.box.Client, node, condition, false))
	}
	w.awaitEffect(condition, "Exclude", 0)
	for _, pod := range append(pods, w.arrive(4)...) {
		w.placed(pod)
	}
	w.Await("the judge to see all 18 placements", func() bool { return len(w.judge.Report()) == 18 })
	w.allSound()
}

func otherThan(name string, names []string) string {
	return names[slices.IndexFunc(names, func(other string) bool { return other != name })]
}

// avoid waits until the pods have nodes, and none of them one to be avoided.
func (w *world) avoid(nodes []string, pods []*corev1.Pod) {
	w.Helper()
	for _, pod := range pods {
		if got := w.placed(pod); slices.Contains(nodes, got) {
			w.Errorf("%s is on %s, which is broken", pod.Name, got)
		}
	}
}

// arrive creates so many pods that ask for one V100.
func (w *world) arrive(count int) []*corev1.Pod {
	w.Helper()
	var pods []*corev1.Pod
	for range count {
		pods = append(pods, gpus(1, "V100"))
	}
	w.create(pods...)
	return pods
}

func TestPenalisedNodesAreTheLastChoice(t *testing.T) {
	// The node without a fault is another one each time, so that no order of nodes explains it.
	for i, condition := range []string{"PCIeLinkDegraded", "NICLinkFlapping", "NICLinkDown"} {
		t.Run(condition, func(t *testing.T) {
			w := fresh(t)
			pool := nodesOf("mn2b-a30")
			w.breaks(condition, "Penalize", slices.Delete(nodesOf("mn2b-a30"), i, i+1)...)
			if node := w.place(gpus(6, "A30")); node != pool[i] {
				t.Errorf("first pod is on %s, want the only node without a fault, %s", node, pool[i])
			}
			for range 3 { // penalised is not excluded
				w.expectOn("mn2b-a30", w.place(gpus(6, "A30")))
			}
		})
	}
}

func TestUnknownStatusIsPenalised(t *testing.T) {
	w := fresh(t)
	pool := nodesOf("mn2b-a30")
	for _, node := range pool[1:] {
		w.Check("patch", fleet.PatchCondition(t.Context(), w.box.Client, node, corev1.NodeCondition{
			Type: "GPUIsLost", Status: corev1.ConditionUnknown, Reason: "DetectorTimedOut",
			LastTransitionTime: metav1.Now(), LastHeartbeatTime: metav1.Now(),
		}))
	}
	w.awaitEffect("GPUIsLost", "Penalize", 3)
	if node := w.place(gpus(6, "A30")); node != pool[0] {
		t.Errorf("first pod is on %s, want %s, of which all is known", node, pool[0])
	}
	w.expectOn("mn2b-a30", w.place(gpus(6, "A30")))
}

func TestNICLinkDownExcludesPodsThatAskForRDMA(t *testing.T) {
	w := fresh(t)
	pool := nodesOf("mn2b-a100")
	for _, node := range pool {
		w.Check("add RDMA", fleet.SetDevices(t.Context(), w.box.Client, node, "rdma/hca", 8))
	}
	w.breaks("NICLinkDown", "Exclude", pool[0], pool[1], pool[2])
	if node := w.place(withRDMA(gpus(4, "A100"))); node != pool[3] {
		t.Errorf("pod with RDMA is on %s, want %s, whose link is up", node, pool[3])
	}
	w.refused(withRDMA(gpus(1, "A100")))
	w.expectOn("mn2b-a100", w.place(gpus(1, "A100"))) // who needs no RDMA may have the others
}

func withRDMA(pod *corev1.Pod) *corev1.Pod {
	resources := &pod.Spec.Containers[0].Resources
	resources.Limits["rdma/hca"] = resource.MustParse("1")
	resources.Requests["rdma/hca"] = resource.MustParse("1")
	return pod
}

// Without Berth the same faults are ignored, and the judge says so: else its silence in the other
// tests would prove nothing.
func TestJudgeConvictsKubeSchedulerAlone(t *testing.T) {
	b, err := startBox(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(b.Stop)
	w := newWorld(t, b).judged()
	for _, node := range nodesOf("mn3") {
		w.Check("break", fleet.SetCondition(t.Context(), b.Client, node, "DStateProcess", true))
	}
	w.Await("a conviction", func() bool {
		w.place(mnCores(1))
		return len(w.judge.Report().With(judge.Broken)) > 0
	})
}
