package gangs

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// Each program is away until its turn comes, so that what it does can be seen.
func TestAGangIsGatedPlannedReleasedAndBoundOnOneRack(t *testing.T) {
	w := fresh(t)
	const pods, each = 8, 4 // a rack, all of it
	w.away(controller.Process)
	w.away(shared.Scheduler)
	gang := w.start(gangJob("train", pods, each))
	for _, pod := range w.all("train-", pods, "are gated", holdsNothing) {
		if pod.Annotations[gangName] != gang || pod.Annotations[gangSize] != fmt.Sprint(pods) {
			t.Errorf("%s has the annotations %v", pod.Name, pod.Annotations)
		}
	}
	begin := time.Now()
	w.back(controller.Process)
	released := w.all("train-", pods, "are released and nominated", func(pod corev1.Pod) bool {
		return isReleased(pod) && isNominated(pod)
	})
	t.Logf("released %s after the controller was started", time.Since(begin).Round(time.Millisecond))
	w.expectNeighbours(released)
	w.back(shared.Scheduler)
	w.expectOn(promises(released), w.all("train-", pods, "run", isRunning))
}

// expectNeighbours fails the test unless the pods are nominated on one rack, near ranks near each
// other, and say that it was the plan.
func (w *world) expectNeighbours(pods []corev1.Pod) {
	w.Helper()
	slices.SortFunc(pods, func(a, b corev1.Pod) int {
		return strings.Compare(a.Labels[batchv1.JobCompletionIndexAnnotation],
			b.Labels[batchv1.JobCompletionIndexAnnotation])
	})
	changes := 0
	for i, pod := range pods {
		node := pod.Status.NominatedNodeName
		if first := pods[0].Status.NominatedNodeName; w.rackOf(node) != w.rackOf(first) {
			w.Errorf("%s and %s are on different racks", first, node)
		}
		if pod.Annotations[planAnnotation] != node {
			w.Errorf("%s is nominated on %s, planned on %s", pod.Name, node,
				pod.Annotations[planAnnotation])
		}
		if i > 0 && pods[i-1].Status.NominatedNodeName != node {
			changes++
		}
	}
	if changes != rackNodes-1 {
		w.Errorf("%d changes of the node from rank to rank, want %d: %v", changes, rackNodes-1,
			promises(pods))
	}
}

func TestPodsThatSayTheirGangRunTogether(t *testing.T) {
	w := fresh(t)
	pods := members("sweep", 3, 8)
	w.create(pods[:2]...)
	w.all("sweep-", 2, "are gated", holdsNothing)
	w.create(pods[2])
	w.all("sweep-", 3, "run", isRunning)
}

// One of the gangs needs more nodes than are free, the other one more than there are.
func TestGangsThatWaitSayWhyAndHoldNothing(t *testing.T) {
	w := fresh(t)
	const fillers, singles, large, huge = 2, 3, nodes - 1, nodes + 1
	var names []string
	for i := range fillers {
		names = append(names, fmt.Sprintf("filler-%d", i))
		w.create(single(names[i], pool().NodeName(i), devices))
	}
	gangs := map[string]string{"large": w.start(gangJob("large", large, devices)),
		"huge": w.start(gangJob("huge", huge, devices))}
	w.all("large-", large, "are gated", holdsNothing)
	w.all("huge-", huge, "are gated", holdsNothing)
	for i := range singles {
		names = append(names, fmt.Sprintf("single-%d", i))
		w.create(single(names[fillers+i], "", devices))
	}
	w.all("single-", singles, "run", isRunning)
	const free = nodes - fillers - singles
	w.expectTold("large-", large, fmt.Sprintf("gang %s of %d: %d of %d pods fit at once", gangs["large"],
		large, free, large))
	w.expectTold("huge-", huge, fmt.Sprintf("gang %s of %d: ", gangs["huge"], huge),
		"would not fit even if nothing else ran there")
	w.delete(names...)
	// What users are told is written when nothing else is to be written.
	w.all("large-", large, "run and wait no longer", func(pod corev1.Pod) bool {
		condition := conditionOf(pod)
		return isRunning(pod) && condition != nil && condition.Status == corev1.ConditionTrue
	})
	w.all("huge-", huge, "hold nothing", holdsNothing)
}

// expectTold waits until all pods say that their gang waits, in words with these parts, and an event
// of one of them does.
func (w *world) expectTold(prefix string, count int, parts ...string) {
	w.Helper()
	w.all(prefix, count, fmt.Sprintf("say %q and hold nothing", parts), func(pod corev1.Pod) bool {
		return waitsAs(pod, parts...) && holdsNothing(pod)
	})
	w.Await("an event that says so", func() bool {
		for pod, message := range w.toldWaiting() {
			if strings.HasPrefix(pod, prefix) && strings.Contains(message, parts[0]) {
				return true
			}
		}
		return false
	})
}

// The gates of a gang go without a call of the webhook for each. Updates of anybody else are asked
// about as ever.
func TestTheWebhookIsNotAskedAboutReleases(t *testing.T) {
	w := fresh(t)
	before := w.reviewedUpdates()
	w.create(members("train", 4, 1)...)
	pods := w.all("train-", 4, "run", isRunning)
	if after := w.reviewedUpdates(); after != before {
		t.Errorf("the webhook was asked about %v updates of pods", after-before)
	}
	w.annotate(pods[0].Name)
	if w.reviewedUpdates() == before {
		t.Error("the webhook was not asked about a user's update")
	}
}

func (w *world) reviewedUpdates() float64 {
	w.Helper()
	samples, err := webhook.Metrics(w.Context())
	w.Check("scrape the webhook", err)
	return samples.Sum("berth_admission_reviews_total", `operation="update"`)
}

func (w *world) annotate(pod string) {
	w.Helper()
	_, err := shared.Client.CoreV1().Pods(namespace).Patch(w.Context(), pod, types.MergePatchType,
		[]byte(`{"metadata":{"annotations":{"example.com/note":"x"}}}`), metav1.PatchOptions{})
	w.Check("annotate "+pod, err)
}
