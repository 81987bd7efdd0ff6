// Package witness watches the pods of a namespace revision by revision and tells of their gangs what
// should never have been. It knows nothing of how Berth plans, only what it promises.
package witness

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes"

	"berth.dev/berth/tests/e2e/box"
	"berth.dev/berth/tests/e2e/fleet"
)

// Witness sees the pods of the namespace revision by revision, so nothing that was between two looks
// escapes it. It notes what should never be:
//   - a gang that is released before each of its pods has a node nominated,
//   - a pod of a gang that has a node nominated while somebody else's gate holds it back,
//   - a node whose pods have more devices than it.
//
// Thread-safe.
type Witness struct {
	namespace string
	devices   int64 // of a node
	cancel    context.CancelFunc
	ended     chan struct{}
	revision  string // the last one that was seen

	mu     sync.Mutex
	gangs  map[string]*Course     // by gang
	pods   map[string]*corev1.Pod // by name, those of gangs and others
	used   map[string]int64       // devices by node
	faults []string
	rivals bool // no two gangs may hold anything at the same time
}

// Watch has a witness watch from now on, until Stop. Each node has so many devices.
func Watch(
	ctx context.Context, client kubernetes.Interface, namespace string, devices int64,
) (*Witness, error) {
	list, err := client.CoreV1().Pods(namespace).List(ctx, metav1.ListOptions{Limit: 1})
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	w := made(namespace, devices)
	w.cancel, w.revision = cancel, list.ResourceVersion
	go w.follow(ctx, client)
	return w, nil
}

func made(namespace string, devices int64) *Witness {
	return &Witness{namespace: namespace, devices: devices, ended: make(chan struct{}),
		gangs: map[string]*Course{}, pods: map[string]*corev1.Pod{}, used: map[string]int64{}}
}

// Stop returns what should not have been.
func (w *Witness) Stop() []string {
	w.cancel()
	<-w.ended
	return w.faults
}

// follow goes on where a stream has ended, as that of a kube-apiserver which was killed.
func (w *Witness) follow(ctx context.Context, client kubernetes.Interface) {
	defer close(w.ended)
	for ctx.Err() == nil {
		stream, err := client.CoreV1().Pods(w.namespace).Watch(ctx,
			metav1.ListOptions{ResourceVersion: w.revision})
		for err == nil {
			event, isOpen := <-stream.ResultChan()
			if !isOpen {
				break
			}
			err = w.hear(event)
		}
		if apierrors.IsResourceExpired(err) || apierrors.IsGone(err) {
			err = w.list(ctx, client)
		}
		if err != nil && ctx.Err() == nil { // until it serves again
			box.HoldsWithin(time.Second, func() bool { return ctx.Err() != nil })
		}
	}
}

func (w *Witness) hear(event watch.Event) error {
	pod, isPod := event.Object.(*corev1.Pod)
	if !isPod {
		return apierrors.FromObject(event.Object)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.revision = pod.ResourceVersion
	w.see(event.Type, pod, time.Now())
	return nil
}

// list takes the pods as they are now: a kube-apiserver that has just begun does not know what was
// before.
func (w *Witness) list(ctx context.Context, client kubernetes.Interface) error {
	list, err := client.CoreV1().Pods(w.namespace).List(ctx, metav1.ListOptions{})
	if err != nil {
		return err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.revision = list.ResourceVersion
	w.pods, w.used = map[string]*corev1.Pod{}, map[string]int64{}
	for _, c := range w.gangs {
		c.Pods = map[string]*corev1.Pod{}
	}
	for i := range list.Items {
		pod := &list.Items[i]
		w.pods[pod.Name] = pod
		w.use(pod, 1)
		if name := pod.Annotations[Name]; name != "" {
			w.courseOf(name).Pods[pod.Name] = pod
			w.courseOf(name).note(pod)
		}
	}
	for _, c := range w.gangs {
		for _, pod := range c.Pods {
			c.judge(pod, time.Now())
			break // it stands for all
		}
	}
	return nil
}

func (w *Witness) courseOf(gang string) *Course {
	if w.gangs[gang] == nil {
		w.gangs[gang] = &Course{Pods: map[string]*corev1.Pod{}, done: map[completion]bool{}}
	}
	return w.gangs[gang]
}

func (w *Witness) fault(format string, arguments ...any) {
	w.faults = append(w.faults, fmt.Sprintf(format, arguments...))
}

// see takes the pod as it is now, or was when it was deleted.
func (w *Witness) see(event watch.EventType, pod *corev1.Pod, now time.Time) {
	before := w.pods[pod.Name]
	if event == watch.Deleted {
		delete(w.pods, pod.Name)
	} else {
		w.pods[pod.Name] = pod
	}
	w.use(before, -1)
	w.use(w.pods[pod.Name], 1)
	if used := w.used[pod.Spec.NodeName]; pod.Spec.NodeName != "" && used > w.devices {
		w.fault("%s has pods with %d devices when %s is there", pod.Spec.NodeName, used, pod.Name)
	}
	if name := pod.Annotations[Name]; name != "" {
		w.seeGang(name, event, before, pod, now)
	}
}

// use adds what the pod uses to its node, or takes it off.
func (w *Witness) use(pod *corev1.Pod, sign int64) {
	if pod != nil && pod.Spec.NodeName != "" && !HasEnded(pod) {
		requests := pod.Spec.Containers[0].Resources.Requests[fleet.ResourceGPU]
		w.used[pod.Spec.NodeName] += sign * requests.Value()
	}
}

func (w *Witness) seeGang(
	name string, event watch.EventType, before, pod *corev1.Pod, now time.Time,
) {
	c := w.courseOf(name)
	c.note(pod)
	if event == watch.Deleted {
		delete(c.Pods, pod.Name)
	} else {
		c.Pods[pod.Name] = pod
		if before != nil && IsGated(*before) && !IsGated(*pod) {
			w.expectReserved(name, c, pod)
		}
	}
	if IsNominated(*pod) && IsHeldBack(*pod) {
		w.fault("%s has %s nominated and the gates %v", pod.Name, pod.Status.NominatedNodeName,
			pod.Spec.SchedulingGates)
	}
	c.judge(pod, now)
	if w.rivals && c.holds() {
		w.expectAlone(name)
	}
}

// expectReserved is called when a pod has lost its gate: it is the first one of its gang only if each
// has a node nominated.
func (w *Witness) expectReserved(name string, c *Course, released *corev1.Pod) {
	nominated := 0
	for _, pod := range c.Pods {
		if pod.DeletionTimestamp != nil || HasEnded(pod) {
			continue // of a former start
		}
		if pod.Name != released.Name && !IsGated(*pod) {
			return // it was released before
		}
		if pod.Status.NominatedNodeName != "" {
			nominated++
		}
	}
	if left := c.left(released); nominated < left {
		w.fault("%s is released when %d of %d pods of %s are nominated", released.Name, nominated, left,
			name)
	}
}

func (w *Witness) expectAlone(name string) {
	for other, c := range w.gangs {
		if other != name && c.holds() {
			w.fault("%s and %s hold nodes at the same time", name, other)
		}
	}
}

// ExpectRivals has it noted if two gangs hold nodes at the same time, until it is called again.
func (w *Witness) ExpectRivals(rivals bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.rivals = rivals
}

// Between is the time from the end of a gang until another one has all of its nodes; 0 if it needs less
// than the first one leaves, and has them before.
func (w *Witness) Between(first, second string) time.Duration {
	courses := w.Courses()
	over, whole := courses[first].Over, courses[second].Whole
	if over.IsZero() || whole.Before(over) {
		return 0
	}
	return whole.Sub(over)
}

// Courses are what became of all gangs so far.
func (w *Witness) Courses() map[string]Course {
	w.mu.Lock()
	defer w.mu.Unlock()
	now := time.Now()
	copies := map[string]Course{}
	for name, c := range w.gangs {
		each := *c
		each.Pods = maps.Clone(c.Pods)
		if !each.partly.IsZero() {
			each.Partly = append(slices.Clone(c.Partly), Span{From: c.partly, To: now})
		}
		copies[name] = each
	}
	return copies
}

// Count tells how many pods are so.
func (w *Witness) Count(holds func(*corev1.Pod) bool) (count int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, pod := range w.pods {
		if holds(pod) {
			count++
		}
	}
	return count
}
