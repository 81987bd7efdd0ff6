package fleet

import (
	"context"
	_ "embed"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
)

// FateAnnotation on a pod says how KWOK ends it: one of the fates.
const FateAnnotation = "fate.e2e.berth.dev/pod"

const (
	FateOOMKilled = "oom-killed" // a container used more memory than its limit, or its node had none left
	FateEvicted   = "evicted"    // by kubelet, whose node was short of memory
	FateSucceeded = "succeeded"  // its programs have done what they were to do
	FateRejected  = "rejected"   // by kubelet, before it ran; only as long as the pod is Pending
	FateHangs     = "hangs"      // stays when it is deleted, because its node is lost
)

// Fates are the KWOK Stage objects of pods that end by FateAnnotation, and of Jobs' pods that are
// deleted.
//
//go:embed fates.stages.yaml
var Fates string

// Doom gives a pod its fate.
func Doom(ctx context.Context, client kubernetes.Interface, namespace, pod, fate string) error {
	patch := fmt.Sprintf(`{"metadata":{"annotations":{%q:%q}}}`, FateAnnotation, fate)
	_, err := client.CoreV1().Pods(namespace).Patch(ctx, pod, types.MergePatchType, []byte(patch),
		metav1.PatchOptions{})
	return err
}
