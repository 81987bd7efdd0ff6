package fleet

import (
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// detected is a permanent problem as node-problem-detector publishes it: status False while all is
// well, True with the second reason and message when it is not.
type detected struct {
	kind                          corev1.NodeConditionType
	wellReason, wellMessage       string
	problemReason, problemMessage string
}

var detectedProblems = []detected{
	{"GPUIsLost", "GPUIsPresent", "all GPUs answer", "GPUIsLost", "GPU 0000:3b:00.0 is lost"},
	{"GPURuntimeError", "GPURuntimeWorks", "no runtime errors", "GPUIsBusy",
		"device seen but all CUDA-capable devices are busy"},
	{"GPUPendingPage", "NoPendingPages", "no pages pending retirement", "PagesPending",
		"2 pages pending retirement on GPU 0000:86:00.0"},
	{"DStateProcess", "NoDStateProcess", "no process hangs", "DStateProcess",
		"python3 hangs in D state since 31 min"},
	{"PCIeLinkDegraded", "PCIeLinkIsFull", "all links at full width", "PCIeLinkDegraded",
		"GPU 0000:18:00.0 at x8 of x16"},
	{"NICLinkDown", "NICLinksUp", "all links up", "NICLinkDown", "mlx5_1 is down"},
	{"NICLinkFlapping", "NICLinksStable", "no link flaps", "NICLinkFlapping",
		"mlx5_0 flapped 6 times in 10 min"},
	// Two that every node-problem-detector publishes and Berth knows nothing of.
	{"KernelDeadlock", "KernelHasNoDeadlock", "kernel has no deadlock", "DockerHung",
		"task docker:7 blocked for more than 300 seconds"},
	{"ReadonlyFilesystem", "FilesystemIsNotReadOnly", "Filesystem is not read-only",
		"FilesystemIsReadOnly", "Remounting filesystem read-only"},
}

// condition writes the problem's condition as it stands at now.
func (d detected) condition(broken bool, now time.Time) corev1.NodeCondition {
	at := metav1.NewTime(now)
	result := corev1.NodeCondition{Type: d.kind, Status: corev1.ConditionFalse, Reason: d.wellReason,
		Message: d.wellMessage, LastHeartbeatTime: at, LastTransitionTime: at}
	if broken {
		result.Status, result.Reason, result.Message =
			corev1.ConditionTrue, d.problemReason, d.problemMessage
	}
	return result
}

func problem(kind string) (detected, bool) {
	for _, d := range detectedProblems {
		if string(d.kind) == kind {
			return d, true
		}
	}
	return detected{}, false
}

// healthySince is how long a new node has been well: longer than any recovery time.
const healthySince = 24 * time.Hour

// healthy are all conditions of a node on which nothing is wrong: kubelet's and the detector's.
func healthy(now time.Time) []corev1.NodeCondition {
	at, since := metav1.NewTime(now), metav1.NewTime(now.Add(-healthySince))
	kubelet := func(
		kind corev1.NodeConditionType, status corev1.ConditionStatus, reason, message string,
	) corev1.NodeCondition {
		return corev1.NodeCondition{Type: kind, Status: status, Reason: reason, Message: message,
			LastHeartbeatTime: at, LastTransitionTime: since}
	}
	conditions := []corev1.NodeCondition{
		kubelet(corev1.NodeMemoryPressure, corev1.ConditionFalse, "KubeletHasSufficientMemory",
			"kubelet has sufficient memory available"),
		kubelet(corev1.NodeDiskPressure, corev1.ConditionFalse, "KubeletHasNoDiskPressure",
			"kubelet has no disk pressure"),
		kubelet(corev1.NodePIDPressure, corev1.ConditionFalse, "KubeletHasSufficientPID",
			"kubelet has sufficient PID available"),
		kubelet(corev1.NodeReady, corev1.ConditionTrue, "KubeletReady",
			"kubelet is posting ready status"),
	}
	for _, d := range detectedProblems {
		well := d.condition(false, now)
		well.LastTransitionTime = since
		conditions = append(conditions, well)
	}
	return conditions
}
