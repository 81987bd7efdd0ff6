// Package churn keeps a cluster moving: pods that come, run for a while and end, and faults that
// come and go.
package churn

import (
	"context"
	_ "embed"
	"math/rand/v2"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
)

// Annotations that Stages read, in the form of time.Duration.
const (
	AnnotationRunsFor      = "e2e.berth.dev/runs-for"      // from running to Succeeded
	AnnotationRemovedAfter = "e2e.berth.dev/removed-after" // from Succeeded to deleted; default: never
)

// Stages are the KWOK Stage objects of pods that end by themselves.
//
//go:embed pods.stages.yaml
var Stages string

// Span is a duration drawn anew each time: from Least up to Most.
type Span struct{ Least, Most time.Duration }

func (s Span) draw(random *rand.Rand) time.Duration {
	return s.Least + time.Duration(random.Int64N(int64(s.Most-s.Least)+1))
}

// Limit makes pods end by themselves after a time that the seed decides.
func Limit(pods []*corev1.Pod, seed uint64, lives Span) {
	random := rand.New(rand.NewPCG(seed, 3))
	for _, pod := range pods {
		pod.Annotations[AnnotationRunsFor] = lives.draw(random).Round(time.Millisecond).String()
	}
}

// Create makes the pods one after the other, one in every interval at most. Before each it calls
// before with the pod's index, nil for nothing.
func Create(
	ctx context.Context, client kubernetes.Interface, pods []*corev1.Pod, interval time.Duration,
	before func(index int) error,
) error {
	ticker := time.NewTicker(interval)
	defer ticker.Stop()
	for i, pod := range pods {
		if before != nil {
			if err := before(i); err != nil {
				return err
			}
		}
		if _, err := client.CoreV1().Pods(pod.Namespace).
			Create(ctx, pod, metav1.CreateOptions{}); err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-ticker.C:
		}
	}
	return nil
}
