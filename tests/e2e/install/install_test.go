package install

import (
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"berth.dev/berth/tests/e2e/fleet"
)

// What the README promises of `helm install` alone: a Job of one line more than its GPU is made safe,
// and runs on a node of the model that it names.
func TestJobRunsWhereItAskedTo(t *testing.T) {
	w := release(t, nil)
	team := w.team("enforce")
	job := w.createJob(team, trainingJob("train"))
	if job.Spec.PodFailurePolicy == nil {
		t.Error("has no podFailurePolicy")
	}
	pod := w.running(team, "train")
	if pod.Status.QOSClass != corev1.PodQOSGuaranteed || pod.Spec.SchedulerName != "berth" {
		t.Errorf("the pod is %s, placed by %s", pod.Status.QOSClass, pod.Spec.SchedulerName)
	}
	if got := w.acceleratorOf(pod.Spec.NodeName); got != "V100" {
		t.Errorf("runs on %s, which has %q", pod.Spec.NodeName, got)
	}
}

func TestJobKeepsOffABrokenNode(t *testing.T) {
	w := release(t, nil)
	team := w.team("enforce")
	whole := v100Node(nodesPerPool - 1)
	for index := range nodesPerPool - 1 {
		w.breakNode(v100Node(index))
	}
	w.createJob(team, trainingJob("train"))
	if pod := w.running(team, "train"); pod.Spec.NodeName != whole {
		t.Errorf("runs on %s, want %s", pod.Spec.NodeName, whole)
	}
}

// By the label that the controller writes and the affinity that the webhook does: Berth's extender is
// not asked about nodes that have too little.
func TestLeastMemoryIsKeptByKubeSchedulerItself(t *testing.T) {
	w := release(t, nil)
	team := w.team("enforce")
	w.createJob(team, roomyJob("roomy", "24.5Gi"))
	node := w.running(team, "roomy").Spec.NodeName
	if got := w.labelOf(node, memoryLabel); got != "34" { // 32,510 MiB
		t.Errorf("runs on %s, which has %q", node, got)
	}
	w.createJob(team, roomyJob("greedy", "35Gi"))
	const why = "node(s) didn't match Pod's node affinity/selector"
	w.Await("kube-scheduler to refuse it by its affinity", func() bool {
		return strings.Contains(w.pendingReason(team, "greedy"), why)
	})
	if reason := w.pendingReason(team, "greedy"); strings.Contains(reason, "accelerator memory") {
		t.Errorf("Berth was asked: %s", reason)
	}
}

func TestNodesGetTheirLabel(t *testing.T) {
	w := release(t, nil)
	for _, pool := range fleet.Small(nodesPerPool) {
		w.Await(pool.Name+" to be labelled "+pool.Accelerator, func() bool {
			for index := range pool.Nodes {
				if w.acceleratorOf(pool.NodeName(index)) != pool.Accelerator {
					return false
				}
			}
			return true
		})
	}
}

// Whoever has not asked for more is told, and nothing else.
func TestNamespacesWithoutALabelAreOnlyWarned(t *testing.T) {
	w := release(t, nil)
	pod, warnings := w.createHeard(w.team(""), carelessPod())
	if pod.Status.QOSClass != corev1.PodQOSBestEffort || pod.Annotations[createdBy] != "" {
		t.Errorf("the pod was changed: %s, %v", pod.Status.QOSClass, pod.Annotations)
	}
	if len(warnings) == 0 {
		t.Error("nobody was warned")
	}
}

func TestReleaseLeavesItsOwnNamespaceAlone(t *testing.T) {
	w := release(t, nil)
	for _, namespace := range []string{namespace, metav1.NamespaceSystem} {
		pod, err := w.try(namespace, carelessPod())
		w.Check("try a pod in "+namespace, err)
		if pod.Annotations[createdBy] != "" {
			t.Errorf("pods in %s are changed", namespace)
		}
	}
}
