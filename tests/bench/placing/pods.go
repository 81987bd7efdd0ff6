package placing

import (
	"context"
	"errors"
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

	"berth.dev/berth/tests/e2e/box"
)

// stallTimeout is for how long nothing may happen to any pod while somebody waits for it.
const stallTimeout = 4 * time.Minute

// Seen is what became of pods, by "<namespace>/<name>".
type Seen struct {
	Bound     map[string]time.Time // when their binding was seen
	Refused   map[string]string    // what kube-scheduler said last of those that found no node
	Nominated map[string]string    // the node for which they were nominated last
	Deleted   map[string]string    // the node, if any, of those that are gone
}

// Took is the time from the first binding to the last.
func (s Seen) Took() time.Duration {
	var first, last time.Time
	for _, at := range s.Bound {
		if first.IsZero() || at.Before(first) {
			first = at
		}
		if at.After(last) {
			last = at
		}
	}
	return last.Sub(first)
}

// Pods follow the pods of all namespaces. Thread-safe.
type Pods struct {
	reopen func(known Seen) (watch.Interface, error) // nil: what has expired is over
	ended  chan struct{}

	mu       sync.Mutex
	stream   watch.Interface
	stopped  bool
	seen     Seen
	promised map[string]struct{} // without a node, nominated
	failure  error
	news     chan struct{} // closed by what is new
}

// Watch follows pods from now on, until Stop. A kube-apiserver that was away may no longer know
// what happened meanwhile; then what became of pods is listed.
func Watch(ctx context.Context, client kubernetes.Interface) (*Pods, error) {
	pods := client.CoreV1().Pods(metav1.NamespaceAll)
	list, err := pods.List(ctx, metav1.ListOptions{Limit: 1})
	if err != nil {
		return nil, err
	}
	// kube-apiserver ends the watch of a client that is slow for once; this one goes on then.
	since := func(resourceVersion string) (watch.Interface, error) {
		return watchtools.NewRetryWatcherWithContext(ctx, resourceVersion,
			&cache.ListWatch{WatchFuncWithContext: pods.Watch})
	}
	stream, err := since(list.ResourceVersion)
	if err != nil {
		return nil, err
	}
	p := newPods(stream)
	p.reopen = func(known Seen) (watch.Interface, error) {
		var list *corev1.PodList
		err := box.Retry(ctx, stallTimeout, "a list of pods", func(ctx context.Context) error {
			var err error
			list, err = pods.List(ctx, metav1.ListOptions{})
			return err
		})
		if err != nil {
			return nil, err
		}
		p.seeList(known, list.Items)
		return since(list.ResourceVersion)
	}
	go p.follow(stream)
	return p, nil
}

// Follow follows the pods that a watch tells of.
func Follow(stream watch.Interface) *Pods {
	p := newPods(stream)
	go p.follow(stream)
	return p
}

func newPods(stream watch.Interface) *Pods {
	return &Pods{stream: stream, ended: make(chan struct{}), news: make(chan struct{}),
		promised: map[string]struct{}{}, seen: Seen{Bound: map[string]time.Time{}, Refused: map[string]string{},
			Nominated: map[string]string{}, Deleted: map[string]string{}}}
}

// follow sees what the stream tells, and those that come after it.
func (p *Pods) follow(stream watch.Interface) {
	defer close(p.ended)
	for stream != nil {
		expired := false
		for event := range stream.ResultChan() {
			if expired = p.reopen != nil && hasExpired(event); expired {
				break
			}
			p.see(event)
		}
		stream.Stop()
		stream = p.next(expired)
	}
	p.fail(errors.New("the watch of pods has ended"))
}

func hasExpired(event watch.Event) bool {
	if event.Type != watch.Error {
		return false
	}
	err := apierrors.FromObject(event.Object)
	return apierrors.IsResourceExpired(err) || apierrors.IsGone(err)
}

// next is the stream that goes on where one has expired; nil: none does.
func (p *Pods) next(expired bool) watch.Interface {
	if !expired {
		return nil
	}
	var known Seen
	p.look(func(now Seen) { known = now.clone() })
	stream, err := p.reopen(known)
	if err != nil {
		p.fail(err)
		return nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.stream = stream
	if p.stopped {
		stream.Stop()
	}
	return stream
}

// seeList notes what a list says, and who had a node and is gone.
func (p *Pods) seeList(known Seen, list []corev1.Pod) {
	there := map[string]bool{}
	for i := range list {
		there[list[i].Namespace+"/"+list[i].Name] = true
		p.see(watch.Event{Type: watch.Modified, Object: &list[i]})
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for name := range known.Bound {
		if _, told := known.Deleted[name]; !there[name] && !told {
			p.seen.Deleted[name] = "" // nobody told which node
		}
	}
	p.tell()
}

// Stop returns when nothing is seen any more.
func (p *Pods) Stop() {
	p.mu.Lock()
	p.stopped = true
	p.stream.Stop()
	p.mu.Unlock()
	<-p.ended
}

// Await returns when holds says so of all that was seen; it is asked again after whatever is new.
// An error of holds is returned, and so is that of the watch; that nothing happens any more is one,
// too.
func (p *Pods) Await(ctx context.Context, holds func(Seen) (bool, error)) error {
	for {
		news, done, err := p.ask(holds)
		if done || err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(stallTimeout):
			return p.stalled()
		case <-news:
		}
	}
}

func (p *Pods) ask(holds func(Seen) (bool, error)) (news <-chan struct{}, done bool, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	done, err = holds(p.seen)
	if !done && err == nil {
		err = p.failure
	}
	return p.news, done, err
}

// look shows what was seen so far; what it shows changes afterwards.
func (p *Pods) look(at func(Seen)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	at(p.seen)
}

func (p *Pods) stalled() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return fmt.Errorf("%d pods have a node, %d were refused, and nothing more happens for %s",
		len(p.seen.Bound), len(p.seen.Refused), stallTimeout)
}

func (p *Pods) fail(err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.failure == nil {
		p.failure = err
	}
	p.tell()
}

// tell wakes those who wait. mu is held.
func (p *Pods) tell() {
	close(p.news)
	p.news = make(chan struct{})
}

func (p *Pods) see(event watch.Event) {
	if event.Type == watch.Error {
		p.fail(fmt.Errorf("watch pods: %w", apierrors.FromObject(event.Object)))
		return
	}
	pod, isPod := event.Object.(*corev1.Pod)
	if !isPod {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if event.Type == watch.Deleted {
		p.seen.Deleted[pod.Namespace+"/"+pod.Name] = pod.Spec.NodeName
		delete(p.promised, pod.Namespace+"/"+pod.Name)
		p.tell()
		return
	}
	p.seePod(pod)
}

// seePod notes what is new of a pod. mu is held.
func (p *Pods) seePod(pod *corev1.Pod) {
	name := pod.Namespace + "/" + pod.Name
	if _, known := p.seen.Bound[name]; pod.Spec.NodeName != "" && !known {
		p.seen.Bound[name] = time.Now()
		p.tell()
	}
	delete(p.promised, name)
	if pod.Status.NominatedNodeName != "" {
		p.seen.Nominated[name] = pod.Status.NominatedNodeName
		if pod.Spec.NodeName == "" {
			p.promised[name] = struct{}{}
		}
	}
	for _, condition := range pod.Status.Conditions {
		isRefused := condition.Status == corev1.ConditionFalse &&
			condition.Reason != corev1.PodReasonSchedulingGated
		if condition.Type == corev1.PodScheduled && isRefused {
			p.seen.Refused[name] = condition.Message
			p.tell()
		}
	}
}
