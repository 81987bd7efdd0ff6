package main

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"

	"berth.dev/berth/tests/bench/placing"
	"berth.dev/berth/tests/e2e/fleet"
)

func podOn(name, node string) *corev1.Pod {
	return &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: name},
		Spec: corev1.PodSpec{NodeName: node}}
}

// The clock is the bubble's.
func TestNewPodsWaitFromTheirCreationToTheirBinding(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		stream := watch.NewFake()
		pods := placing.Follow(stream)
		defer pods.Stop()
		created := []creation{{"default/a", time.Now()}, {"default/b", time.Now()}}
		go func() {
			time.Sleep(3 * time.Second)
			stream.Modify(podOn("a", "n1"))
			time.Sleep(time.Second)
			stream.Modify(podOn("a", "n1")) // again, for whatever reason
			time.Sleep(3 * time.Second)
			stream.Modify(podOn("b", "n1"))
		}()
		b := bench{options: options{last: 5 * time.Second}}
		waits, unbound, err := b.waits(t.Context(), created, pods)
		if unbound != 1 || waits[0].waited != 3*time.Second || waits[1].waited != 5*time.Second {
			t.Errorf("%v, %d without a node (%v), want waits of 3 s and of the 5 s that were left", waits,
				unbound, err)
		}
		b.last = time.Minute
		waits, unbound, err = b.waits(t.Context(), created, pods)
		if err != nil || unbound != 0 || waits[1].waited != 7*time.Second {
			t.Errorf("%v, %d without a node (%v), want the last after 7 s", waits, unbound, err)
		}
	})
}

func TestPodsThatNothingFitsMustNotFit(t *testing.T) {
	seen := placing.Seen{Refused: map[string]string{"a": "", "b": ""}}
	if done, err := refused(3)(seen); done || err != nil {
		t.Errorf("two of three refused: %v (%v)", done, err)
	}
	if done, err := refused(2)(seen); !done || err != nil {
		t.Errorf("all refused: %v (%v)", done, err)
	}
	seen.Bound = map[string]time.Time{"a": time.Now()}
	_, err := refused(2)(seen)
	if err == nil || !strings.Contains(err.Error(), "1 pods that nothing fits have a node") {
		t.Errorf("error %v", err)
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
