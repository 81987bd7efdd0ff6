package placing

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/watch"
)

func somePods(count int) []*corev1.Pod {
	var pods []*corev1.Pod
	for i := range count {
		pods = append(pods, podOn(fmt.Sprintf("p%d", i), ""))
	}
	return pods
}

// after are how long after the first each pod was created.
func after(c Created, pods []*corev1.Pod) []time.Duration {
	var all []time.Duration
	for _, pod := range pods {
		all = append(all, c.At[pod.Namespace+"/"+pod.Name].Sub(c.First))
	}
	return all
}

// takes is a creator whose call takes so long.
func takes(duration time.Duration) Creator {
	return func(context.Context, *corev1.Pod) error {
		time.Sleep(duration)
		return nil
	}
}

// The clock is the bubble's.
func TestPodsComeAtTheirRate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		pods := somePods(5)
		creators := []Creator{takes(time.Millisecond), takes(time.Millisecond)}
		created, err := Create(t.Context(), creators, pods, Pace{PerSecond: 4})
		if err != nil || created.PerSecond() != 4 || created.Last.Sub(created.First) != time.Second {
			t.Errorf("%v after each other, %v/s (%v)", after(created, pods), created.PerSecond(), err)
		}
		for i, at := range after(created, pods) {
			if at != time.Duration(i)*250*time.Millisecond {
				t.Errorf("pod %d after %v", i, at)
			}
		}
	})
}

// A slow call delays those behind it by no more than it must.
func TestPodsThatAreLateAreMadeUpFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var once sync.Once
		slowFirst := func(context.Context, *corev1.Pod) error {
			once.Do(func() { time.Sleep(time.Second) })
			return nil
		}
		pods := somePods(8)
		created, err := Create(t.Context(), []Creator{slowFirst}, pods, Pace{PerSecond: 4})
		want := []time.Duration{0, 1000, 1000, 1000, 1000, 1250, 1500, 1750} // milliseconds
		for i, at := range after(created, pods) {
			if at != want[i]*time.Millisecond {
				t.Errorf("pod %d after %v, want %v ms (%v)", i, at, int(want[i]), err)
			}
		}
	})
}

func TestBurstComesAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var creators []Creator
		for range 10 {
			creators = append(creators, takes(time.Second))
		}
		created, err := Create(t.Context(), creators, somePods(10), Pace{})
		if err != nil || len(created.At) != 10 || created.Last != created.First {
			t.Errorf("%+v (%v)", created, err)
		}
	})
}

func TestFirstFailureEndsTheCreation(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fails := func(_ context.Context, pod *corev1.Pod) error {
			if pod.Name == "p3" {
				return errors.New("forbidden")
			}
			return nil
		}
		begin := time.Now()
		_, err := Create(t.Context(), []Creator{fails, fails}, somePods(1000), Pace{PerSecond: 1})
		if err == nil || err.Error() != "create p3: forbidden" || time.Since(begin) > 4*time.Second {
			t.Errorf("error %v after %v", err, time.Since(begin))
		}
	})
}

func TestWaitsAreFromCreationToBinding(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		stream := watch.NewFake()
		seen := Follow(stream)
		defer seen.Stop()
		stream.Modify(podOn("before", "n1"))
		pods := somePods(3)
		created, err := Create(t.Context(), []Creator{takes(0)}, pods, Pace{PerSecond: 1})
		if err != nil {
			t.Fatal(err)
		}
		go func() { // 2 s after the first was created, and at the creation of the last
			nominated := refusedPod("p1")
			nominated.Status.NominatedNodeName = "n1"
			stream.Modify(nominated)
			time.Sleep(time.Second)
			stream.Modify(podOn("p1", "n1"))
			time.Sleep(4 * time.Second)
			stream.Modify(podOn("p0", "n2"))
		}()
		became, err := seen.AwaitAll(t.Context(), created, 10*time.Second)
		if err != nil || became.Unbound != 1 || became.Last != 7*time.Second ||
			became.Refused != 1 || became.Nominated != 1 || became.Without["team-1/p2"] != "" ||
			len(became.Without) != 1 {
			t.Errorf("%+v (%v)", became, err)
		}
		for name, want := range map[string]time.Duration{"team-1/p0": 7 * time.Second,
			"team-1/p1": 2 * time.Second, "team-1/p2": 10 * time.Second} {
			if got := became.Waits[name]; got != want {
				t.Errorf("%s waited %v, want %v", name, got, want)
			}
		}
	})
}

func TestWhatIsSaidOfThoseWithoutANode(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		stream := watch.NewFake()
		seen := Follow(stream)
		defer seen.Stop()
		created, err := Create(t.Context(), []Creator{takes(0)}, somePods(1), Pace{})
		if err != nil {
			t.Fatal(err)
		}
		stream.Modify(refusedPod("p0"))
		became, err := seen.AwaitAll(t.Context(), created, time.Second)
		if err != nil || !strings.Contains(became.Without["team-1/p0"], "0/3 nodes") {
			t.Errorf("%+v (%v)", became, err)
		}
		stream.Stop()
		if _, err := seen.AwaitAll(t.Context(), created, time.Second); err == nil {
			t.Error("a watch that has ended is no error")
		}
	})
}
