package rivals

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"

	"berth.dev/berth/tests/bench/placing"
)

const (
	lookEvery = 50 * time.Millisecond
	atOnce    = 32 // writes
)

// What kubelet says of a pod that runs, and of one that has done its work.
const (
	isReady = `{"status":{"phase":"Running","conditions":[{"type":"Ready","status":"True"}]}}`
	isDone  = `{"status":{"phase":"Succeeded","conditions":[{"type":"Ready","status":"False"}]}}`
)

// kubelet plays those of all nodes: a pod is ready as soon as it has a node, and all pods of a gang
// succeed when it was whole for long enough.
type kubelet struct {
	client kubernetes.Interface
	length time.Duration
	gangs  []gang // that have not ended

	ran     int
	ended   time.Time // when the last gang ended, or time was up
	started map[string]bool
}

// run returns when all gangs have ended, or when time is up, which is no error.
func (k *kubelet) run(ctx context.Context, seen *placing.Pods) error {
	k.started = map[string]bool{}
	ticker := time.NewTicker(lookEvery)
	defer ticker.Stop()
	for len(k.gangs) > 0 {
		err := k.round(ctx, seen)
		k.ended = time.Now()
		if ctx.Err() != nil {
			return onlyTimeIsUp(ctx)
		}
		if err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return onlyTimeIsUp(ctx)
		case <-ticker.C:
		}
	}
	return nil
}

func onlyTimeIsUp(ctx context.Context) error {
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return nil
	}
	return ctx.Err()
}

func (k *kubelet) round(ctx context.Context, seen *placing.Pods) error {
	bound := seen.Bound()
	var starting, ending []*corev1.Pod
	var left []gang
	for _, g := range k.gangs {
		for _, pod := range g.pods {
			if _, isBound := bound[keyOf(pod)]; isBound && !k.started[keyOf(pod)] {
				k.started[keyOf(pod)] = true
				starting = append(starting, pod)
			}
		}
		whole, isWhole := wholeAt(g, bound)
		if !isWhole || time.Since(whole) < k.length {
			left = append(left, g)
			continue
		}
		ending = append(ending, g.pods...)
		k.ran++
	}
	k.gangs = left
	return errors.Join(k.say(ctx, starting, isReady), k.say(ctx, ending, isDone))
}

// say writes the status of pods.
func (k *kubelet) say(ctx context.Context, pods []*corev1.Pod, status string) error {
	failures := make([]error, len(pods))
	room := make(chan struct{}, atOnce)
	var working sync.WaitGroup
	for i, pod := range pods {
		room <- struct{}{}
		working.Go(func() {
			defer func() { <-room }()
			_, err := k.client.CoreV1().Pods(pod.Namespace).Patch(ctx, pod.Name,
				types.StrategicMergePatchType, []byte(status), metav1.PatchOptions{}, "status")
			if err != nil && !apierrors.IsNotFound(err) { // evicted
				failures[i] = fmt.Errorf("status of %s: %w", pod.Name, err)
			}
		})
	}
	working.Wait()
	return errors.Join(failures...)
}
