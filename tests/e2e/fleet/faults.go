package fleet

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"strconv"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
)

// FaultAnnotation on a node makes KWOK put the condition that it names on the node; without it
// KWOK takes off again what it put on.
const FaultAnnotation = "fault.e2e.berth.dev/condition"

// Stages are the KWOK Stage objects of nodes: heartbeats, and faults by FaultAnnotation.
//
//go:embed nodes.stages.yaml
var Stages string

// SetCondition puts a detector's condition on a node (True) or takes it off (False) by a patch of
// the node's status, as node-problem-detector does.
func SetCondition(
	ctx context.Context, client kubernetes.Interface, node, condition string, broken bool,
) error {
	d, known := problem(condition)
	if !known {
		return fmt.Errorf("no detector publishes %q", condition)
	}
	return PatchCondition(ctx, client, node, d.condition(broken, time.Now()))
}

// PatchCondition writes conditions of a node and leaves the others as they are.
func PatchCondition(
	ctx context.Context, client kubernetes.Interface, node string, conditions ...corev1.NodeCondition,
) error {
	return patchStatus(ctx, client, node, map[string]any{"conditions": conditions})
}

// SetDevices makes a node have so many devices of a resource, all allocatable.
func SetDevices(
	ctx context.Context, client kubernetes.Interface, node, resource string, count int,
) error {
	list := map[string]any{resource: strconv.Itoa(count)}
	return patchStatus(ctx, client, node, map[string]any{"capacity": list, "allocatable": list})
}

func patchStatus(
	ctx context.Context, client kubernetes.Interface, node string, status map[string]any,
) error {
	patch, err := json.Marshal(map[string]any{"status": status})
	if err != nil {
		return err
	}
	_, err = client.CoreV1().Nodes().Patch(ctx, node, types.StrategicMergePatchType, patch,
		metav1.PatchOptions{}, "status")
	return err
}

// SetFaultStage asks KWOK to put the condition on the node; the empty condition takes it off.
func SetFaultStage(ctx context.Context, client kubernetes.Interface, node, condition string) error {
	var value any // null removes the annotation
	if condition != "" {
		value = condition
	}
	patch, err := json.Marshal(map[string]any{
		"metadata": map[string]any{"annotations": map[string]any{FaultAnnotation: value}},
	})
	if err != nil {
		return err
	}
	_, err = client.CoreV1().Nodes().Patch(ctx, node, types.MergePatchType, patch,
		metav1.PatchOptions{})
	return err
}
