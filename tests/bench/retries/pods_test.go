package main

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"

	"berth.dev/berth/tests/e2e/fleet"
)

func podOn(name, node string) *corev1.Pod {
	return &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: name},
		Spec: corev1.PodSpec{NodeName: node}}
}

func refusedPod(name string) *corev1.Pod {
	pod := podOn(name, "")
	pod.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodScheduled,
		Status: corev1.ConditionFalse}}
	return pod
}

// The clock is the bubble's.
func TestNewPodsWaitFromTheirCreationToTheirBinding(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		stream := watch.NewFake()
		p := newPods(stream)
		defer p.stop()
		stream.Add(refusedPod("waits"))
		if err := p.awaitRefused(t.Context(), 1); err != nil {
			t.Fatal(err)
		}
		begin := time.Now()
		p.creates(podOn("a", ""))
		p.creates(podOn("b", ""))
		time.Sleep(3 * time.Second)
		stream.Modify(podOn("a", "n1"))
		stream.Modify(podOn("a", "n1")) // again, for whatever reason
		if err := p.awaitBound(t.Context(), 2, 5*time.Second); err != nil {
			t.Fatal(err)
		}
		b := newBlock(p.waits(begin))
		if b.Unbound != 1 || b.Pods != 2 || b.Wait.Min != 3 || b.Wait.Max < 8 {
			t.Errorf("%+v, want waits of 3 s and of 8 s or a little more", b)
		}
	})
}

func TestBlocksThatCannotBeMeasured(t *testing.T) {
	for want, event := range map[string]watch.Event{
		"watch pods: too old": {Type: watch.Error,
			Object: &metav1.Status{Status: metav1.StatusFailure, Message: "too old"}},
		"1 pods that nothing fits have a node": {Type: watch.Modified, Object: podOn("waits", "n1")},
	} {
		synctest.Test(t, func(t *testing.T) {
			stream := watch.NewFake()
			p := newPods(stream)
			defer p.stop()
			stream.Action(event.Type, event.Object)
			synctest.Wait()
			if err := p.awaitRefused(t.Context(), 1); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("error %v, want %q", err, want)
			}
		})
	}
}

func TestWhoWaits(t *testing.T) {
	for _, w := range allWays {
		pods := w.refused(3)
		if w.waits == waitsNobody {
			if len(pods) > 0 {
				t.Errorf("%s: %d pods wait", w.name, len(pods))
			}
			continue
		}
		if len(pods) != 3 || pods[0].Name == pods[1].Name {
			t.Fatalf("%s: %d pods", w.name, len(pods))
		}
		saidByAffinity := pods[0].Spec.Affinity != nil
		if saidByAffinity != (w.waits == waitsSaid) {
			t.Errorf("%s: affinity %v", w.name, pods[0].Spec.Affinity)
		}
		if w.waits != waitsSaid && pods[0].Annotations[fleet.AnnotationMemory] == "" {
			t.Errorf("%s: annotations %v", w.name, pods[0].Annotations)
		}
	}
}
