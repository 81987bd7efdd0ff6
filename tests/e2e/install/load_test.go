package install

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

const (
	loadWorkers  = 2
	loadInterval = 50 * time.Millisecond // of each worker
	// kube-scheduler's replica takes over when the Lease of one that was killed has run out, 15 s.
	placeTimeout = 50 * time.Second
	leastLoad    = 20
)

// load creates things, one after the other, while something else happens. Thread-safe.
type load struct {
	w        *world
	what     string
	over     chan struct{}
	workers  sync.WaitGroup
	mu       sync.Mutex
	times    int
	failures []string
	slowest  time.Duration
}

// startLoad does something again and again from some workers until expectNoFailure.
func (w *world) startLoad(what string, workers int, do func(context.Context) error) *load {
	l := &load{w: w, what: what, over: make(chan struct{})}
	for range workers {
		l.workers.Go(func() { l.work(do) })
	}
	w.Cleanup(l.end) // also where the test gives up
	return l
}

// createSafely creates pods of a namespace that Berth has to make safe, each of them.
func (w *world) createSafely(namespace string) *load {
	return w.startLoad("creates", loadWorkers, func(ctx context.Context) error {
		made, err := create(ctx, namespace, carelessPod())
		if err == nil && !isSafe(made) {
			err = errors.New("created, but not made safe")
		}
		return err
	})
}

// createAnyway creates pods to which nobody may object, whether Berth is there or not.
func (w *world) createAnyway(namespace string) *load {
	return w.startLoad("creates", loadWorkers, func(ctx context.Context) error {
		_, err := create(ctx, namespace, carelessPod())
		return err
	})
}

// createDecent creates pods in which there is nothing to make safe.
func (w *world) createDecent(namespace string) *load {
	return w.startLoad("creates", loadWorkers, func(ctx context.Context) error {
		_, err := create(ctx, namespace, decentPod())
		return err
	})
}

// place has pods with accelerators placed, one at a time.
func (w *world) place(namespace string) *load {
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

func (l *load) work(do func(context.Context) error) {
	for {
		begin := time.Now()
		err := do(context.Background()) // what has begun when the load ends is still counted
		l.note(err, time.Since(begin))
		select {
		case <-l.over:
			return
		case <-time.After(loadInterval):
		}
	}
}

func (l *load) note(err error, took time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.times++
	l.slowest = max(l.slowest, took)
	if err != nil {
		l.failures = append(l.failures, err.Error())
	}
}

// done is how often it has been done.
func (l *load) done() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.times
}

// awaitMore waits until so many more have been done.
func (l *load) awaitMore(times int) {
	l.w.Helper()
	wanted := l.done() + times
	l.w.await(fmt.Sprintf("%d more %s", times, l.what), func() bool { return l.done() >= wanted })
}

func (l *load) end() {
	select {
	case <-l.over:
	default:
		close(l.over)
	}
	l.workers.Wait()
}

// expectNoFailure ends the load and fails the test if anything has failed, or hardly anything was done.
func (l *load) expectNoFailure(atLeast int) {
	l.w.Helper()
	l.end()
	if len(l.failures) > 0 {
		l.w.Errorf("%d of %d %s failed: %s", len(l.failures), l.times, l.what,
			strings.Join(l.failures[:min(3, len(l.failures))], "; "))
	}
	if l.times < atLeast {
		l.w.Errorf("%d %s only", l.times, l.what)
	}
	l.w.Logf("%d %s, the slowest in %s", l.times, l.what, l.slowest.Round(time.Millisecond))
}
