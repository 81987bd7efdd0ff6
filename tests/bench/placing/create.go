package placing

import (
	"context"
	"fmt"
	"net"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
)

// Clients that create pods: each has a connection of its own and so many calls at a time.
const (
	creatingClients = 4
	callsOfAClient  = 8
)

// Pace is how pods are created.
type Pace struct {
	PerSecond float64 // 0: all at once
}

// due is when, after the first, the pod at index is to be created.
func (p Pace) due(index int) time.Duration {
	if p.PerSecond <= 0 {
		return 0
	}
	return time.Duration(float64(index) / p.PerSecond * float64(time.Second))
}

func (p Pace) String() string {
	if p.PerSecond <= 0 {
		return "at once"
	}
	return fmt.Sprintf("%g/s", p.PerSecond)
}

// Creator creates a pod.
type Creator func(context.Context, *corev1.Pod) error

// Creators are as many as may create pods at a time. No client limits its requests.
func Creators(config *rest.Config) ([]Creator, error) {
	var all []Creator
	for range creatingClients {
		own := rest.CopyConfig(config)
		own.QPS = -1
		own.Dial = (&net.Dialer{}).DialContext // else all would share one connection
		client, err := kubernetes.NewForConfig(own)
		if err != nil {
			return nil, err
		}
		for range callsOfAClient {
			all = append(all, func(ctx context.Context, pod *corev1.Pod) error {
				_, err := client.CoreV1().Pods(pod.Namespace).Create(ctx, pod, metav1.CreateOptions{})
				return err
			})
		}
	}
	return all, nil
}

// Created tells of pods, by "<namespace>/<name>", when their creation was asked for.
type Created struct {
	At          map[string]time.Time
	First, Last time.Time
}

// PerSecond is how fast they came, of two or more.
func (c Created) PerSecond() float64 {
	return float64(len(c.At)-1) / c.Last.Sub(c.First).Seconds()
}

// Create creates the pods at a pace, whatever becomes of them. Where no creator is free a pod comes
// late, and those behind it still when they are due.
func Create(ctx context.Context, creators []Creator, pods []*corev1.Pod, pace Pace) (Created, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	due := make(chan *corev1.Pod, len(pods))
	created := Created{At: map[string]time.Time{}}
	var mu sync.Mutex
	var working sync.WaitGroup
	for _, create := range creators {
		working.Go(func() {
			for pod := range due {
				at := time.Now()
				if err := create(ctx, pod); err != nil {
					cancel(fmt.Errorf("create %s: %w", pod.Name, err))
					return
				}
				mu.Lock()
				created.add(pod, at)
				mu.Unlock()
			}
		})
	}
	dispatch(ctx, due, pods, pace)
	working.Wait()
	return created, context.Cause(ctx)
}

// dispatch hands out each pod when it is due.
func dispatch(ctx context.Context, due chan<- *corev1.Pod, pods []*corev1.Pod, pace Pace) {
	defer close(due)
	begin := time.Now()
	for i, pod := range pods {
		if !sleep(ctx, time.Until(begin.Add(pace.due(i)))) {
			return
		}
		due <- pod
	}
}

func (c *Created) add(pod *corev1.Pod, at time.Time) {
	c.At[pod.Namespace+"/"+pod.Name] = at
	if c.First.IsZero() || at.Before(c.First) {
		c.First = at
	}
	if at.After(c.Last) {
		c.Last = at
	}
}

// sleep tells whether nothing ended ctx meanwhile.
func sleep(ctx context.Context, duration time.Duration) bool {
	if duration <= 0 {
		return ctx.Err() == nil
	}
	select {
	case <-ctx.Done():
		return false
	case <-time.After(duration):
		return true
	}
}
