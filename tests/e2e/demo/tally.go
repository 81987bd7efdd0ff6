package main

import (
	"context"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"berth.dev/berth/tests/e2e/fleet"
)

// memoryTolerance: drivers report up to 7 % less memory than a model's name promises.
const memoryTolerance = 0.93

// tally is where pods are, counted from the API's objects.
type tally struct {
	placed   map[string]int // by accelerator of the node
	unwanted int            // on a model or with less memory than the pod's annotations name
	pending  int
}

func count(ctx context.Context, client kubernetes.Interface, pools []fleet.Pool) (tally, error) {
	pods, err := client.CoreV1().Pods(metav1.NamespaceDefault).List(ctx, metav1.ListOptions{})
	if err != nil {
		return tally{}, err
	}
	nodes, err := client.CoreV1().Nodes().List(ctx, metav1.ListOptions{})
	if err != nil {
		return tally{}, err
	}
	byName := map[string]*corev1.Node{}
	for i := range nodes.Items {
		byName[nodes.Items[i].Name] = &nodes.Items[i]
	}
	return tallyOf(pods.Items, byName, acceleratorByPool(pools)), nil
}

func acceleratorByPool(pools []fleet.Pool) map[string]string {
	accelerators := map[string]string{}
	for _, pool := range pools {
		accelerators[pool.Name] = pool.Accelerator
	}
	return accelerators
}

func tallyOf(pods []corev1.Pod, nodes map[string]*corev1.Node, accelerators map[string]string) tally {
	result := tally{placed: map[string]int{}}
	for i := range pods {
		pod, node := &pods[i], nodes[pods[i].Spec.NodeName]
		if node == nil {
			result.pending++
			continue
		}
		accelerator := accelerators[node.Labels[fleet.LabelPool]]
		result.placed[accelerator]++
		if !wanted(pod, accelerator, node.Labels["nvidia.com/gpu.memory"]) {
			result.unwanted++
		}
	}
	return result
}

// wanted tells whether an accelerator is what the pod's annotations ask for.
func wanted(pod *corev1.Pod, accelerator, memoryMiB string) bool {
	names := pod.Annotations[fleet.AnnotationAccelerators]
	if names != "" && !contains(strings.Split(names, ","), accelerator) {
		return false
	}
	minimum, err := resource.ParseQuantity(pod.Annotations[fleet.AnnotationMemory])
	if err != nil {
		return true // no minimum
	}
	have, _ := strconv.ParseFloat(memoryMiB, 64)
	return have*(1<<20) >= memoryTolerance*minimum.AsApproximateFloat64()
}

func contains(names []string, name string) bool {
	for _, candidate := range names {
		if strings.TrimSpace(candidate) == name {
			return true
		}
	}
	return false
}
