package gangs

import (
	"context"
	"fmt"
	"maps"
	"strconv"
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

// witness sees the pods of the namespace revision by revision, so nothing that was between two looks
// escapes it. It notes what should never be:
//   - a gang that is released before each of its pods has a node nominated,
//   - a node whose pods have more devices than it.
//
// Thread-safe.
type witness struct {
	cancel   context.CancelFunc
	ended    chan struct{}
	revision string // the last one that was seen

	mu     sync.Mutex
	gangs  map[string]*course     // by gang
	pods   map[string]*corev1.Pod // by name, those of gangs and others
	used   map[string]int64       // devices by node
	faults []string
	rivals bool // no two gangs may hold anything at the same time
}

// course is what became of a gang.
type course struct {
	pods    map[string]*corev1.Pod
	partly  time.Time     // since when some of its pods run and others wait; zero: this is not so
	longest time.Duration // for which it was so
	whole   time.Time     // when the last of all its pods got a node; zero: not yet
	over    time.Time     // when the last of its pods that had a node was gone, or had ended
}

// watchPods has a witness watch from now on, until stop.
func watchPods(ctx context.Context, client kubernetes.Interface) (*witness, error) {
	list, err := client.CoreV1().Pods(namespace).List(ctx, metav1.ListOptions{Limit: 1})
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	w := &witness{cancel: cancel, ended: make(chan struct{}), revision: list.ResourceVersion,
		gangs: map[string]*course{}, pods: map[string]*corev1.Pod{}, used: map[string]int64{}}
	go w.follow(ctx, client)
	return w, nil
}

// stop returns what should not have been.
func (w *witness) stop() []string {
	w.cancel()
	<-w.ended
	return w.faults
}

// follow goes on where a stream has ended, as that of a kube-apiserver which was killed.
func (w *witness) follow(ctx context.Context, client kubernetes.Interface) {
	defer close(w.ended)
	for ctx.Err() == nil {
		stream, err := client.CoreV1().Pods(namespace).Watch(ctx,
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

func (w *witness) hear(event watch.Event) error {
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
func (w *witness) list(ctx context.Context, client kubernetes.Interface) error {
	list, err := client.CoreV1().Pods(namespace).List(ctx, metav1.ListOptions{})
	if err != nil {
		return err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.revision = list.ResourceVersion
	w.pods, w.used = map[string]*corev1.Pod{}, map[string]int64{}
	for _, c := range w.gangs {
		c.pods = map[string]*corev1.Pod{}
	}
	for i := range list.Items {
		pod := &list.Items[i]
		w.pods[pod.Name] = pod
		w.use(pod, 1)
		if name := pod.Annotations[gangName]; name != "" {
			w.course(name).pods[pod.Name] = pod
		}
	}
	for _, c := range w.gangs {
		for _, pod := range c.pods {
			c.judge(pod, time.Now())
			break // it stands for all
		}
	}
	return nil
}

func (w *witness) course(gang string) *course {
	if w.gangs[gang] == nil {
		w.gangs[gang] = &course{pods: map[string]*corev1.Pod{}}
	}
	return w.gangs[gang]
}

func (w *witness) fault(format string, arguments ...any) {
	w.faults = append(w.faults, fmt.Sprintf(format, arguments...))
}

// see takes the pod as it is now, or was when it was deleted.
func (w *witness) see(event watch.EventType, pod *corev1.Pod, now time.Time) {
	before := w.pods[pod.Name]
	if event == watch.Deleted {
		delete(w.pods, pod.Name)
	} else {
		w.pods[pod.Name] = pod
	}
	w.use(before, -1)
	w.use(w.pods[pod.Name], 1)
	if used := w.used[pod.Spec.NodeName]; pod.Spec.NodeName != "" && used > devices {
		w.fault("%s has pods with %d devices when %s is there", pod.Spec.NodeName, used, pod.Name)
	}
	if name := pod.Annotations[gangName]; name != "" {
		w.seeGang(name, event, before, pod, now)
	}
}

// use adds what the pod uses to its node, or takes it off.
func (w *witness) use(pod *corev1.Pod, sign int64) {
	if pod != nil && pod.Spec.NodeName != "" && !hasEnded(pod) {
		requests := pod.Spec.Containers[0].Resources.Requests[fleet.ResourceGPU]
		w.used[pod.Spec.NodeName] += sign * requests.Value()
	}
}

func (w *witness) seeGang(
	name string, event watch.EventType, before, pod *corev1.Pod, now time.Time,
) {
	c := w.course(name)
	if event == watch.Deleted {
		delete(c.pods, pod.Name)
	} else {
		c.pods[pod.Name] = pod
		if before != nil && isGated(*before) && isReleased(*pod) {
			w.expectReserved(name, c, pod)
		}
	}
	c.judge(pod, now)
	if w.rivals && c.holds() {
		w.expectAlone(name)
	}
}

// expectReserved is called when a pod has lost its gate: it is the first one of its gang only if each
// has a node nominated.
func (w *witness) expectReserved(name string, c *course, released *corev1.Pod) {
	nominated := 0
	for _, pod := range c.pods {
		if pod.Name != released.Name && isReleased(*pod) {
			return // it was released before
		}
		if pod.Status.NominatedNodeName != "" {
			nominated++
		}
	}
	if size, _ := strconv.Atoi(released.Annotations[gangSize]); nominated < size {
		w.fault("%s is released when %d of %d pods of %s are nominated", released.Name, nominated, size,
			name)
	}
}

func (w *witness) expectAlone(name string) {
	for other, c := range w.gangs {
		if other != name && c.holds() {
			w.fault("%s and %s hold nodes at the same time", name, other)
		}
	}
}

func hasEnded(pod *corev1.Pod) bool {
	return pod.Status.Phase == corev1.PodSucceeded || pod.Status.Phase == corev1.PodFailed
}

// holds tells whether the gang keeps any node from others.
func (c *course) holds() bool {
	for _, pod := range c.pods {
		if !hasEnded(pod) && (pod.Spec.NodeName != "" || pod.Status.NominatedNodeName != "") {
			return true
		}
	}
	return false
}

// judge takes the times of what is new since the pod has changed.
func (c *course) judge(pod *corev1.Pod, now time.Time) {
	run, wait := 0, 0
	for _, each := range c.pods {
		switch {
		case each.DeletionTimestamp != nil || hasEnded(each):
		case each.Spec.NodeName == "":
			wait++
		default:
			run++
		}
	}
	switch isPartly := run > 0 && wait > 0; {
	case isPartly && c.partly.IsZero():
		c.partly = now
	case isPartly:
		c.longest = max(c.longest, now.Sub(c.partly))
	case !c.partly.IsZero():
		c.longest = max(c.longest, now.Sub(c.partly))
		c.partly = time.Time{}
	}
	if size, _ := strconv.Atoi(pod.Annotations[gangSize]); run == size && c.whole.IsZero() {
		c.whole = now
	}
	if run == 0 && pod.Spec.NodeName != "" {
		c.over = now
	}
}

// expectRivals has it noted if two gangs hold nodes at the same time, until it is called again.
func (w *witness) expectRivals(rivals bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.rivals = rivals
}

// between is the time from the end of a gang until another one has all of its nodes; 0 if it needs less
// than the first one leaves, and has them before.
func (w *witness) between(first, second string) time.Duration {
	courses := w.courses()
	over, whole := courses[first].over, courses[second].whole
	if over.IsZero() || whole.Before(over) {
		return 0
	}
	return whole.Sub(over)
}

// courses are what became of all gangs so far.
func (w *witness) courses() map[string]course {
	w.mu.Lock()
	defer w.mu.Unlock()
	now := time.Now()
	copies := map[string]course{}
	for name, c := range w.gangs {
		each := *c
		each.pods = maps.Clone(c.pods)
		if !each.partly.IsZero() {
			each.longest = max(each.longest, now.Sub(each.partly))
		}
		copies[name] = each
	}
	return copies
}

// count tells how many pods are so.
func (w *witness) count(holds func(*corev1.Pod) bool) (count int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, pod := range w.pods {
		if holds(pod) {
			count++
		}
	}
	return count
}
