package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
	watchtools "k8s.io/client-go/tools/watch"
)

// bindings see which pods have got a node, and when the first and the last did.
type bindings struct {
	stream  watch.Interface
	stalled time.Duration // without any binding is an error
	bound   map[string]bool
	first   time.Time
	last    time.Time
}

// watchBindings sees the pods of all namespaces from now on.
func watchBindings(ctx context.Context, client kubernetes.Interface) (*bindings, error) {
	pods := client.CoreV1().Pods(metav1.NamespaceAll)
	list, err := pods.List(ctx, metav1.ListOptions{Limit: 1})
	if err != nil {
		return nil, err
	}
	// kube-apiserver ends the watch of a client that is slow for once; this one goes on then.
	stream, err := watchtools.NewRetryWatcherWithContext(ctx, list.ResourceVersion,
		&cache.ListWatch{WatchFuncWithContext: pods.Watch})
	return newBindings(stream), err
}

func newBindings(stream watch.Interface) *bindings {
	return &bindings{stream: stream, stalled: awaitTimeout, bound: map[string]bool{}}
}

// await returns when so many pods have a node.
func (b *bindings) await(ctx context.Context, count int) error {
	stalled := time.NewTimer(b.stalled)
	defer stalled.Stop()
	for len(b.bound) < count {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-stalled.C:
			return fmt.Errorf("%d of %d pods have a node, and none more for %s", len(b.bound), count,
				b.stalled)
		case event, open := <-b.stream.ResultChan():
			if !open {
				return errors.New("the watch of pods has ended")
			}
			before := len(b.bound)
			if err := b.see(event); err != nil {
				return err
			}
			if len(b.bound) > before {
				stalled.Reset(b.stalled)
			}
		}
	}
	return nil
}

// see is an error if a pod finds no node: every way has to place all of them, or they cannot be
// compared.
func (b *bindings) see(event watch.Event) error {
	if event.Type == watch.Error {
		return fmt.Errorf("watch pods: %w", apierrors.FromObject(event.Object))
	}
	pod, isPod := event.Object.(*corev1.Pod)
	if !isPod || event.Type == watch.Deleted {
		return nil
	}
	name := pod.Namespace + "/" + pod.Name
	if pod.Spec.NodeName != "" && !b.bound[name] {
		b.bound[name] = true
		b.last = time.Now()
		if b.first.IsZero() {
			b.first = b.last
		}
		return nil
	}
	for _, condition := range pod.Status.Conditions {
		if condition.Type == corev1.PodScheduled && condition.Status == corev1.ConditionFalse {
			return fmt.Errorf("pod %s finds no node (%s); ask for fewer -pods or more -nodes", name,
				condition.Message)
		}
	}
	return nil
}

// took is the time from the first binding to the last.
func (b *bindings) took() time.Duration { return b.last.Sub(b.first) }

func (b *bindings) stop() { b.stream.Stop() }
