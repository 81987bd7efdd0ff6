package planner

import (
	"fmt"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	typedcorev1 "k8s.io/client-go/kubernetes/typed/core/v1"

	"berth.dev/berth/tests/e2e/fleet"
)

const (
	planAnnotation = "berth.dev/plan"
	planFor        = "berth.dev/plan-for"
	devices        = 8 // of a node
)

func (w *world) all() typedcorev1.PodInterface {
	return shared.Client.CoreV1().Pods(metav1.NamespaceDefault)
}

func (w *world) pods() []corev1.Pod {
	w.Helper()
	list, err := w.all().List(w.Context(), metav1.ListOptions{})
	w.Check("list pods", err)
	return list.Items
}

// gpus makes pods that ask for so many devices of a model each.
func gpus(model string, count int, each int64) []*corev1.Pod {
	ask := fleet.Ask{Accelerators: []string{model}, Resource: fleet.ResourceGPU, Devices: each,
		Cores: 1, MemoryGiB: 4}
	var pods []*corev1.Pod
	for i := range count {
		pods = append(pods, ask.Pod(fmt.Sprintf("train-%d-%03d", each, i)))
	}
	return pods
}

// awaitBound waits until every pod has a node, and returns the pods.
func (w *world) awaitBound(count int) []corev1.Pod {
	w.Helper()
	var pods []corev1.Pod
	w.Await(fmt.Sprintf("%d pods to have a node", count), func() bool {
		pods = w.pods()
		bound := 0
		for _, pod := range pods {
			if pod.Spec.NodeName != "" {
				bound++
			}
		}
		return bound == count
	})
	return pods
}

// planned are the pods that the plan had a node for.
func planned(pods []corev1.Pod) (there, elsewhere int) {
	for _, pod := range pods {
		switch pod.Annotations[planAnnotation] {
		case "":
		case pod.Spec.NodeName:
			there++
		default:
			elsewhere++
		}
	}
	return there, elsewhere
}

// checkPurpose fails the test unless all nominations of the planner were for that purpose.
func (w *world) checkPurpose(pods []corev1.Pod, want string) {
	w.Helper()
	for _, pod := range pods {
		if pod.Annotations[planAnnotation] != "" && pod.Annotations[planFor] != want {
			w.Errorf("%s has %s: %q, want %q", pod.Name, planFor, pod.Annotations[planFor], want)
		}
	}
}

// nominated counts pods with a nominated node.
func nominated(pods []corev1.Pod) (count int) {
	for _, pod := range pods {
		if pod.Status.NominatedNodeName != "" {
			count++
		}
	}
	return count
}

// checkExplained fails the test unless berth explain says so of a nominated pod.
func (w *world) checkExplained(want string) {
	w.Helper()
	for _, pod := range w.pods() {
		if pod.Status.NominatedNodeName == "" {
			continue
		}
		said, err := shared.Explain(w.Context(), pod.Name, "--kubeconfig", shared.Kubeconfig)
		w.Check("berth explain", err)
		planned := pod.Status.NominatedNodeName + " is nominated by Berth's planner"
		if !strings.Contains(said.Text, planned) || !strings.Contains(said.Text, want) {
			w.Errorf("neither %q nor %q in what explain says:\n%s", planned, want, said.Text)
		}
		return
	}
	w.Error("no pod is nominated")
}

// A namespace that only warns has no affinities: kube-scheduler's samples are of V100 nodes, which
// the extender refuses.
func TestPodsGetTheFewNodesThatFit(t *testing.T) {
	w := fresh(t)
	const count = a100Nodes * 4
	start := time.Now()
	w.Check("create pods", fleet.CreatePods(w.Context(), shared.Client, gpus("A100", count, 1)))
	pods := w.awaitBound(count)
	w.checkPurpose(pods, "rescue")
	there, elsewhere := planned(pods)
	t.Logf("after %s %d of %d pods are where they were planned, %d elsewhere",
		time.Since(start).Round(time.Millisecond), there, count, elsewhere)
	if there == 0 {
		t.Error("no pod was planned")
	}
}

// While kube-scheduler is away a backlog grows, and is planned as far as it may be.
func TestABacklogIsBoundWhereItWasPlanned(t *testing.T) {
	w := fresh(t)
	w.planBacklogs(nil)
	const count, most = 600, 512
	shared.Scheduler.Stop()
	w.Check("create pods", fleet.CreatePods(w.Context(), shared.Client, gpus("V100", count, 2)))
	w.Await("nominations", func() bool { return nominated(w.pods()) >= most })
	w.checkPurpose(w.pods(), "backlog")
	w.checkExplained("(backlog: ")
	if standing := nominated(w.pods()); standing > most {
		t.Errorf("%d nominations stand, want %d at most", standing, most)
	}
	start := time.Now()
	w.Check("start kube-scheduler", shared.Scheduler.Start(t.Context()))
	pods := w.awaitBound(count)
	there, elsewhere := planned(pods)
	t.Logf("after %s %d of %d pods are where they were planned, %d elsewhere",
		time.Since(start).Round(time.Millisecond), there, count, elsewhere)
	if there < 10*elsewhere || there == 0 {
		t.Errorf("%d pods are where they were planned, %d elsewhere", there, elsewhere)
	}
	used := map[string]int64{}
	for _, pod := range pods {
		used[pod.Spec.NodeName] += 2
	}
	for node, count := range used {
		if count > devices {
			t.Errorf("%d devices are promised on %s", count, node)
		}
	}
}
