package main

import (
	"context"
	"fmt"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
	watchtools "k8s.io/client-go/tools/watch"
)

// pods see who is refused, and how long new pods wait. Thread-safe.
type pods struct {
	stream watch.Interface
	ended  chan struct{}

	mu      sync.Mutex
	failure error
	refused map[string]bool      // of all pods
	created map[string]time.Time // new pods alone
	bound   map[string]time.Time
}

// watchPods sees all pods from now on.
func watchPods(ctx context.Context, client kubernetes.Interface) (*pods, error) {
	all := client.CoreV1().Pods(metav1.NamespaceAll)
	list, err := all.List(ctx, metav1.ListOptions{Limit: 1})
	if err != nil {
		return nil, err
	}
	// kube-apiserver ends the watch of a client that is slow for once; this one goes on then.
	stream, err := watchtools.NewRetryWatcherWithContext(ctx, list.ResourceVersion,
		&cache.ListWatch{WatchFuncWithContext: all.Watch})
	if err != nil {
		return nil, err
	}
	return newPods(stream), nil
}

func newPods(stream watch.Interface) *pods {
	p := &pods{stream: stream, ended: make(chan struct{}), refused: map[string]bool{},
		created: map[string]time.Time{}, bound: map[string]time.Time{}}
	go func() {
		defer close(p.ended)
		for event := range stream.ResultChan() {
			p.see(event)
		}
	}()
	return p
}

// stop returns when nothing is seen any more.
func (p *pods) stop() {
	p.stream.Stop()
	<-p.ended
}

func (p *pods) see(event watch.Event) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if event.Type == watch.Error {
		p.failure = fmt.Errorf("watch pods: %w", apierrors.FromObject(event.Object))
		return
	}
	pod, isPod := event.Object.(*corev1.Pod)
	if !isPod || event.Type == watch.Deleted {
		return
	}
	name := pod.Namespace + "/" + pod.Name
	if _, known := p.bound[name]; pod.Spec.NodeName != "" && !known {
		p.bound[name] = time.Now()
	}
	for _, condition := range pod.Status.Conditions {
		if condition.Type == corev1.PodScheduled && condition.Status == corev1.ConditionFalse {
			p.refused[name] = true
		}
	}
}

// creates notes that a new pod is about to be created.
func (p *pods) creates(pod *corev1.Pod) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.created[pod.Namespace+"/"+pod.Name] = time.Now()
}

// awaitRefused returns when so many pods were refused.
func (p *pods) awaitRefused(ctx context.Context, count int) error {
	return await(ctx, fmt.Sprintf("%d pods to be refused", count), func() (bool, error) {
		p.mu.Lock()
		defer p.mu.Unlock()
		if len(p.bound) > 0 {
			return false, fmt.Errorf("%d pods that nothing fits have a node", len(p.bound))
		}
		return len(p.refused) >= count, p.failure
	})
}

// awaitBound returns when so many pods have a node, or after so long.
func (p *pods) awaitBound(ctx context.Context, count int, longest time.Duration) error {
	end := time.Now().Add(longest)
	return await(ctx, "pods to have nodes", func() (bool, error) {
		p.mu.Lock()
		defer p.mu.Unlock()
		return len(p.bound) >= count || time.Now().After(end), p.failure
	})
}

// waits are those of the new pods. One that has no node counts as if it had got one now.
func (p *pods) waits(begin time.Time) (waits []wait, unbound int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := time.Now()
	for name, created := range p.created {
		bound, isBound := p.bound[name]
		if !isBound {
			bound = now
			unbound++
		}
		waits = append(waits, wait{at: created.Sub(begin), waited: bound.Sub(created)})
	}
	return waits, unbound
}
