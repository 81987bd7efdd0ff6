package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"text/tabwriter"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"berth.dev/berth/tests/e2e/fleet"
	"berth.dev/berth/tests/e2e/node"
)

const (
	pollInterval = 200 * time.Millisecond
	runTimeout   = 2 * time.Minute
)

func (s *show) pods(ctx context.Context, namespace string) ([]corev1.Pod, error) {
	list, err := s.box.Client.CoreV1().Pods(namespace).List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, err
	}
	return list.Items, nil
}

// awaitJobs returns the Jobs' pods when so many of them run, and all others, so many, are known to fit
// nowhere.
func (s *show) awaitJobs(ctx context.Context, running, waiting int) ([]corev1.Pod, error) {
	ctx, cancel := context.WithTimeout(ctx, runTimeout)
	defer cancel()
	for {
		pods, err := s.pods(ctx, namespace)
		if err != nil {
			return nil, err
		}
		if len(pods) == running+waiting && count(pods, isReady) == running &&
			count(pods, isRefused) == waiting {
			return pods, nil
		}
		select {
		case <-ctx.Done():
			writePods(s.out, pods)
			return nil, fmt.Errorf("%d of %d pods of the Jobs run, %d of %d fit nowhere: %w",
				count(pods, isReady), running, count(pods, isRefused), waiting, ctx.Err())
		case <-time.After(pollInterval):
		}
	}
}

// writePods shows a line for each pod, in columns.
func writePods(out io.Writer, pods []corev1.Pod) {
	table := tabwriter.NewWriter(out, 0, 0, 3, ' ', 0)
	fmt.Fprintln(table, "POD\tASKS FOR\tNODE\tADDRESS\tPLACED BY\tQOS")
	for i := range pods {
		pod := &pods[i]
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\t%s\n", pod.Name, asksFor(pod), nodeOf(pod), addressOf(pod),
			pod.Spec.SchedulerName, pod.Status.QOSClass)
	}
	_ = table.Flush() // to a terminal, or to a test
}

func nodeOf(pod *corev1.Pod) string {
	switch pod.Spec.NodeName {
	case "":
		return "none yet"
	case node.Name:
		return node.Name
	default:
		return pod.Spec.NodeName + " (KWOK)"
	}
}

// addressOf is empty for pods that do not really run.
func addressOf(pod *corev1.Pod) string {
	if pod.Status.PodIP == "" {
		return "-"
	}
	return pod.Status.PodIP
}

// asksFor are a pod's devices, else its share of the processor.
func asksFor(pod *corev1.Pod) string {
	cpu := pod.Spec.Containers[0].Resources.Requests[corev1.ResourceCPU]
	for _, c := range pod.Spec.Containers[1:] {
		cpu.Add(c.Resources.Requests[corev1.ResourceCPU])
	}
	if !asksForGPU(pod) {
		return cpu.String() + " cpu"
	}
	devices := pod.Spec.Containers[0].Resources.Limits[fleet.ResourceGPU]
	return fmt.Sprintf("%s x %s", devices.String(), pod.Annotations[fleet.AnnotationAccelerators])
}

func asksForGPU(pod *corev1.Pod) bool {
	devices := pod.Spec.Containers[0].Resources.Limits[fleet.ResourceGPU]
	return !devices.IsZero()
}

func isReady(pod *corev1.Pod) bool {
	return slices.ContainsFunc(pod.Status.Conditions, func(c corev1.PodCondition) bool {
		return c.Type == corev1.PodReady && c.Status == corev1.ConditionTrue
	})
}

// isRefused tells whether kube-scheduler has found no node for the pod.
func isRefused(pod *corev1.Pod) bool {
	return slices.ContainsFunc(pod.Status.Conditions, func(c corev1.PodCondition) bool {
		return c.Type == corev1.PodScheduled && c.Status == corev1.ConditionFalse &&
			c.Reason == corev1.PodReasonUnschedulable
	})
}

func count(pods []corev1.Pod, holds func(*corev1.Pod) bool) int {
	n := 0
	for i := range pods {
		if holds(&pods[i]) {
			n++
		}
	}
	return n
}
