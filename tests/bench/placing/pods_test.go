package placing

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
)

func podOn(name, node string) *corev1.Pod {
	return &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "team-1", Name: name},
		Spec: corev1.PodSpec{NodeName: node}}
}

func refusedPod(name string) *corev1.Pod {
	pod := podOn(name, "")
	pod.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodScheduled,
		Status: corev1.ConditionFalse, Message: "0/3 nodes are available"}}
	return pod
}

func bound(count int) func(Seen) (bool, error) {
	return func(seen Seen) (bool, error) { return len(seen.Bound) >= count, nil }
}

// The clock is the bubble's.
func TestEveryPodCountsOnceFromTheFirstToTheLast(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		stream := watch.NewFake()
		p := Follow(stream)
		defer p.Stop()
		go func() {
			stream.Modify(podOn("a", ""))
			time.Sleep(time.Second)
			stream.Modify(podOn("a", "n1"))
			time.Sleep(2 * time.Second)
			stream.Modify(podOn("a", "n1")) // again, for whatever reason
			time.Sleep(time.Second)
			stream.Modify(podOn("b", "n1"))
			time.Sleep(4 * time.Second)
			stream.Delete(podOn("b", "n1"))
			stream.Modify(podOn("c", "n2"))
		}()
		begin := time.Now()
		if err := p.Await(t.Context(), bound(1)); err != nil || time.Since(begin) != time.Second {
			t.Fatalf("after %v (%v), want the first", time.Since(begin), err)
		}
		err := p.Await(t.Context(), func(seen Seen) (bool, error) {
			return len(seen.Bound) == 3 && seen.Took() == 7*time.Second, nil
		})
		if err != nil {
			t.Errorf("no three bindings from the second 1 to 8: %v", err)
		}
	})
}

func TestThoseWhoFindNoNodeAreTold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		stream := watch.NewFake()
		p := Follow(stream)
		defer p.Stop()
		gated := refusedPod("gated")
		gated.Status.Conditions[0].Reason = corev1.PodReasonSchedulingGated
		go func() {
			stream.Modify(gated)
			stream.Modify(refusedPod("a"))
		}()
		enough := errors.New("enough")
		err := p.Await(t.Context(), func(seen Seen) (bool, error) {
			if seen.Refused["team-1/a"] == "0/3 nodes are available" && len(seen.Refused) == 1 {
				return false, enough
			}
			return false, nil
		})
		if !errors.Is(err, enough) {
			t.Errorf("error %v", err)
		}
	})
}

func TestWaitsInVain(t *testing.T) {
	cases := []struct {
		name  string
		watch func(*watch.FakeWatcher)
		want  string
	}{
		{"the watch ends", func(w *watch.FakeWatcher) { w.Stop() }, "the watch of pods has ended"},
		{"the watch fails", func(w *watch.FakeWatcher) {
			w.Error(&metav1.Status{Status: metav1.StatusFailure, Message: "too old"})
		}, "watch pods: too old"},
		{"nothing happens any more", func(w *watch.FakeWatcher) {
			w.Modify(podOn("a", "n1"))
			w.Modify(refusedPod("b"))
		}, "1 pods have a node, 1 were refused, and nothing more happens for 4m0s"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				stream := watch.NewFake()
				p := Follow(stream)
				defer p.Stop()
				go c.watch(stream)
				err := p.Await(t.Context(), bound(2))
				if err == nil || !strings.Contains(err.Error(), c.want) {
					t.Errorf("error %v, want %q", err, c.want)
				}
			})
		})
	}
}

// A kube-apiserver that was away has no revisions from before.
func TestWhatHasExpiredIsListed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		first, second := watch.NewFake(), watch.NewFake()
		p := newPods(first)
		p.reopen = func(known Seen) (watch.Interface, error) {
			p.seeList(known, []corev1.Pod{*podOn("a", "n1"), *podOn("b", "n2"), *podOn("c", "")})
			return second, nil
		}
		go p.follow(first)
		defer p.Stop()
		first.Modify(podOn("a", "n1"))
		first.Modify(podOn("gone", "n1"))
		first.Error(&metav1.Status{Status: metav1.StatusFailure, Reason: metav1.StatusReasonExpired})
		second.Modify(refusedPod("d"))
		second.Modify(refusedPod("c"))
		second.Modify(podOn("c", "n3"))
		if err := p.Await(t.Context(), bound(4)); err != nil {
			t.Fatal(err)
		}
		if got := p.Count(); got != (Count{Bound: 4, Tried: 5}) {
			t.Errorf("%+v", got)
		}
		if gone := p.Deleted(); len(gone) != 1 || gone["team-1/gone"] != "" {
			t.Errorf("gone: %v", gone)
		}
	})
}

func TestUserEndsTheWait(t *testing.T) {
	p := Follow(watch.NewFake())
	defer p.Stop()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := p.Await(ctx, bound(1)); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}
