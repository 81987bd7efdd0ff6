package placing

import (
	"context"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
)

// Overcommitted tells of nodes whose pods request more than there is.
func Overcommitted(ctx context.Context, client kubernetes.Interface) ([]string, error) {
	nodes, err := client.CoreV1().Nodes().List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, err
	}
	pods, err := client.CoreV1().Pods(metav1.NamespaceAll).List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, err
	}
	return overcommitted(nodes.Items, pods.Items), nil
}

// overcommitted is about pods whose containers alone request anything, as those of measurements do.
func overcommitted(nodes []corev1.Node, pods []corev1.Pod) []string {
	requested := map[string]corev1.ResourceList{}
	for _, pod := range pods {
		if requested[pod.Spec.NodeName] == nil {
			requested[pod.Spec.NodeName] = corev1.ResourceList{}
		}
		for _, container := range pod.Spec.Containers {
			addTo(requested[pod.Spec.NodeName], container.Resources.Requests)
		}
	}
	var found []string
	for _, node := range nodes {
		if much := tooMuch(requested[node.Name], node.Status.Allocatable); len(much) > 0 {
			found = append(found, node.Name+": "+strings.Join(much, ", "))
		}
	}
	slices.Sort(found)
	return found
}

func tooMuch(requested, allocatable corev1.ResourceList) []string {
	var much []string
	for name, sum := range requested {
		if has := allocatable[name]; sum.Cmp(has) > 0 {
			much = append(much, fmt.Sprintf("%s of %s %s", &sum, &has, name))
		}
	}
	slices.Sort(much)
	return much
}

func addTo(sum, more corev1.ResourceList) {
	for name, quantity := range more {
		total := sum[name]
		total.Add(quantity)
		sum[name] = total
	}
}
