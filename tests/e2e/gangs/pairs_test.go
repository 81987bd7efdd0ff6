package gangs

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"berth.dev/berth/tests/e2e/fleet"
)

// rival is one of two gangs that each fit alone and not together.
type rival struct {
	prefix string // of its pods' names
	gang   string
	pods   int
	each   int64 // devices
	isJob  bool
}

// randomRival wants 60 % of all devices.
func randomRival(random *rand.Rand, name string) *rival {
	each := int64(1) << random.IntN(4)
	share := int64(nodes) * devices * 6 / 10
	return &rival{prefix: name + "-", gang: name, pods: int((share + each) / each), each: each,
		isJob: random.IntN(2) == 0}
}

func (r *rival) String() string {
	kind := "plain pods"
	if r.isJob {
		kind = "pods of a Job"
	}
	return fmt.Sprintf("%s (%d %s of %d)", r.gang, r.pods, kind, r.each)
}

// Two gangs of 60 % of the pool are created together: one runs whole, the other one waits, and no
// revision of any pod shows anything that it holds. When the first one ends the second one runs, and
// soon: devices that nobody uses meanwhile are lost.
func TestTwoGangsThatDoNotFitTogetherRunInTurn(t *testing.T) {
	var waits []time.Duration
	for seed := range seeds {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			w := fresh(t)
			waits = append(waits, w.compete(rand.New(rand.NewPCG(uint64(seed), 20))))
		})
	}
	slices.Sort(waits)
	if len(waits) > 0 {
		t.Logf("the second gang had its nodes after the end of the first one: median %s, longest %s",
			waits[len(waits)/2], waits[len(waits)-1])
	}
}

// compete returns how long after the end of the first gang the second one had all of its nodes.
func (w *world) compete(random *rand.Rand) time.Duration {
	w.Helper()
	rivals := []*rival{randomRival(random, "a"), randomRival(random, "b")}
	w.seen.ExpectRivals(true)
	w.createTogether(rivals)
	first, second := w.awaitFirst(rivals)
	w.all(first.prefix, first.pods, "run", isRunning)
	w.all(second.prefix, second.pods, "hold nothing", holdsNothing)
	// From the first end of a pod on the second gang may have what it leaves.
	w.seen.ExpectRivals(false)
	w.end(first, random.IntN(2) == 0)
	w.all(second.prefix, second.pods, "run", isRunning)
	took := w.seen.Between(first.gang, second.gang).Round(time.Millisecond)
	w.Logf("%s before %s, which had its nodes %s after the end", first, second, took)
	if took > handover {
		w.Errorf("%s had its nodes %s after the end of %s, want %s at most", second, took, first, handover)
	}
	return took
}

func (w *world) createTogether(rivals []*rival) {
	w.Helper()
	done := make(chan error, len(rivals))
	for _, r := range rivals {
		go func() { done <- w.submit(r) }()
	}
	for range rivals {
		w.Check("create the gangs", <-done)
	}
}

func (w *world) submit(r *rival) error {
	if !r.isJob {
		return fleet.CreatePods(w.Context(), shared.Client, members(r.gang, r.pods, r.each))
	}
	job, err := shared.Client.BatchV1().Jobs(namespace).Create(w.Context(),
		gangJob(r.gang, r.pods, r.each), metav1.CreateOptions{})
	if err == nil {
		r.gang = job.Name + "-" + string(job.UID)[:8]
	}
	return err
}

// awaitFirst returns which of the two gangs got nodes, and then the other one.
func (w *world) awaitFirst(rivals []*rival) (first, second *rival) {
	w.Helper()
	w.Await(fmt.Sprintf("one of %v to have nodes", rivals), func() bool {
		courses := w.seen.Courses()
		for i, r := range rivals {
			if !courses[r.gang].Whole.IsZero() {
				first, second = r, rivals[1-i]
			}
		}
		return first != nil
	})
	return first, second
}

// end has the pods of a gang do what they were to do, or be deleted.
func (w *world) end(r *rival, succeeds bool) {
	w.Helper()
	if !succeeds {
		w.Check("delete "+r.gang, w.remove(r))
		return
	}
	for _, pod := range w.pods(r.prefix) {
		w.Check("end "+pod.Name,
			fleet.Doom(w.Context(), shared.Client, namespace, pod.Name, fleet.FateSucceeded))
	}
}

func (w *world) remove(r *rival) error {
	now := metav1.DeleteOptions{GracePeriodSeconds: new(int64),
		PropagationPolicy: new(metav1.DeletePropagationBackground)}
	if r.isJob {
		name := strings.TrimSuffix(r.prefix, "-")
		return shared.Client.BatchV1().Jobs(namespace).Delete(w.Context(), name, now)
	}
	return shared.Client.CoreV1().Pods(namespace).DeleteCollection(w.Context(), now,
		metav1.ListOptions{LabelSelector: labelGang + "=" + r.gang})
}
