package install

import (
	"context"
	"errors"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"berth.dev/berth/tests/e2e/load"
)

const (
	loadWorkers  = 2
	loadInterval = 50 * time.Millisecond // of each worker
	// kube-scheduler's replica takes over when the Lease of one that was killed has run out, 15 s.
	placeTimeout = 50 * time.Second
	leastLoad    = 20
)

// startLoad does something again and again from some workers.
func (w *world) startLoad(what string, workers int, do func(context.Context) error) *load.Load {
	return load.Start(w, what, workers, loadInterval, do)
}

// createSafely creates pods of a namespace that Berth has to make safe, each of them.
func (w *world) createSafely(namespace string) *load.Load {
	return w.startLoad("creates", loadWorkers, func(ctx context.Context) error {
		made, err := create(ctx, namespace, carelessPod())
		if err == nil && !isSafe(made) {
			err = errors.New("created, but not made safe")
		}
		return err
	})
}

// createAnyway creates pods to which nobody may object, whether Berth is there or not.
func (w *world) createAnyway(namespace string) *load.Load {
	return w.startLoad("creates", loadWorkers, func(ctx context.Context) error {
		_, err := create(ctx, namespace, carelessPod())
		return err
	})
}

// createDecent creates pods in which there is nothing to make safe.
func (w *world) createDecent(namespace string) *load.Load {
	return w.startLoad("creates", loadWorkers, func(ctx context.Context) error {
		_, err := create(ctx, namespace, decentPod())
		return err
	})
}

// place has pods with accelerators placed, one at a time.
func (w *world) place(namespace string) *load.Load {
	return w.startLoad("placements", 1, func(ctx context.Context) error {
		pods := shared.Client.CoreV1().Pods(namespace)
		pod, err := create(ctx, namespace, gpuPod())
		if err != nil {
			return err
		}
		if err := awaitPlaced(ctx, pod, placeTimeout); err != nil {
			return err
		}
		return pods.Delete(ctx, pod.Name, metav1.DeleteOptions{})
	})
}

func create(ctx context.Context, namespace string, pod *corev1.Pod) (*corev1.Pod, error) {
	return shared.Client.CoreV1().Pods(namespace).Create(ctx, pod, metav1.CreateOptions{})
}

func awaitPlaced(ctx context.Context, pod *corev1.Pod, within time.Duration) error {
	for deadline := time.Now().Add(within); ; time.Sleep(pollInterval) {
		got, err := shared.Client.CoreV1().Pods(pod.Namespace).Get(ctx, pod.Name, metav1.GetOptions{})
		if err != nil || got.Spec.NodeName != "" {
			return err
		}
		if time.Now().After(deadline) {
			return fmt.Errorf("%s (scheduler %s) is not placed in %s", pod.Name, pod.Spec.SchedulerName,
				within)
		}
	}
}
