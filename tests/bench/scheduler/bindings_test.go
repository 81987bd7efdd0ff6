package main

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

// The clock is the bubble's.
func TestEveryPodCountsOnceFromTheFirstToTheLast(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		stream := watch.NewFake()
		b := newBindings(stream)
		go func() {
			stream.Modify(podOn("a", ""))
			time.Sleep(time.Second)
			stream.Modify(podOn("a", "n1"))
			time.Sleep(2 * time.Second)
			stream.Modify(podOn("a", "n1")) // again, for whatever reason
			time.Sleep(time.Second)
			stream.Modify(podOn("b", "n1"))
			time.Sleep(4 * time.Second)
			stream.Modify(podOn("c", "n2"))
		}()
		if err := b.await(t.Context(), 1); err != nil || len(b.bound) != 1 {
			t.Fatalf("%d bound (%v), want the first", len(b.bound), err)
		}
		if err := b.await(t.Context(), 3); err != nil || b.took() != 7*time.Second {
			t.Errorf("took %v (%v), want 7 s", b.took(), err)
		}
	})
}

func TestRunsThatCannotBeMeasured(t *testing.T) {
	cases := []struct {
		name  string
		watch func(*watch.FakeWatcher)
		want  string
	}{
		{"a pod finds no node", func(w *watch.FakeWatcher) { w.Modify(refusedPod("a")) },
			"pod team-1/a finds no node (0/3 nodes are available); ask for fewer -pods or more -nodes"},
		{"the watch ends", func(w *watch.FakeWatcher) { w.Stop() }, "the watch of pods has ended"},
		{"the watch fails", func(w *watch.FakeWatcher) {
			w.Error(&metav1.Status{Status: metav1.StatusFailure, Message: "too old"})
		}, "watch pods: too old"},
		{"nothing happens any more", func(w *watch.FakeWatcher) { w.Modify(podOn("a", "n1")) },
			"1 of 2 pods have a node, and none more for 2m0s"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				stream := watch.NewFake()
				go c.watch(stream)
				err := newBindings(stream).await(t.Context(), 2)
				if err == nil || !strings.Contains(err.Error(), c.want) {
					t.Errorf("error %v, want %q", err, c.want)
				}
			})
		})
	}
}

func TestUserEndsTheWait(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := newBindings(watch.NewFake()).await(ctx, 1); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}
