package gangs

import (
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
)

// shown has a witness see a gang of two pods that ask for all devices of a node each.
type shown struct {
	*witness
	now  time.Time
	pods []*corev1.Pod
}

func show(names ...string) *shown {
	s := &shown{witness: &witness{gangs: map[string]*course{}, pods: map[string]*corev1.Pod{},
		used: map[string]int64{}}, now: time.Now()}
	for _, name := range names {
		for _, pod := range members(name, 2, devices) {
			pod.Spec.SchedulingGates = []corev1.PodSchedulingGate{{Name: gangGate}}
			s.pods = append(s.pods, pod)
			s.see(watch.Added, pod.DeepCopy(), s.now)
		}
	}
	return s
}

// change shows a pod anew, a second later.
func (s *shown) change(index int, change func(*corev1.Pod)) {
	change(s.pods[index])
	s.now = s.now.Add(time.Second)
	s.see(watch.Modified, s.pods[index].DeepCopy(), s.now)
}

func nominate(node string) func(*corev1.Pod) {
	return func(pod *corev1.Pod) { pod.Status.NominatedNodeName = node }
}

func ungate(pod *corev1.Pod) { pod.Spec.SchedulingGates = nil }

func bind(node string) func(*corev1.Pod) {
	return func(pod *corev1.Pod) { pod.Spec.NodeName, pod.Status.NominatedNodeName = node, "" }
}

func TestTheWitnessFindsNothingWrongWithAGangThatIsReleasedWhole(t *testing.T) {
	s := show("a")
	s.change(0, nominate("n1"))
	s.change(1, nominate("n2"))
	s.change(0, ungate)
	s.change(0, bind("n1"))
	s.change(1, ungate)
	s.change(1, bind("n2"))
	course := s.courses()["a"]
	if len(s.faults) > 0 || course.longest != 2*time.Second || !course.whole.Equal(s.now) {
		t.Errorf("faults %v, partly for %s, whole at %s", s.faults, course.longest, course.whole)
	}
	s.change(0, func(pod *corev1.Pod) { pod.Status.Phase = corev1.PodSucceeded })
	if !s.courses()["a"].over.IsZero() {
		t.Error("it is over while a pod runs")
	}
	s.change(1, func(pod *corev1.Pod) { pod.DeletionTimestamp = &metav1.Time{Time: s.now} })
	if s.courses()["a"].over.IsZero() {
		t.Error("it is never over")
	}
}

func TestTheWitnessTellsWhatShouldNeverBe(t *testing.T) {
	for _, c := range []struct {
		fault string
		tell  func() *witness
	}{
		{"released when 1 of 2 pods", func() *witness {
			s := show("a")
			s.change(0, nominate("n1"))
			s.change(0, ungate)
			return s.witness
		}},
		{"pods with 16 devices", func() *witness {
			s := show("a")
			s.change(0, bind("n1"))
			s.change(1, bind("n1"))
			return s.witness
		}},
		{"hold nodes at the same time", func() *witness {
			s := show("a", "b")
			s.expectRivals(true)
			s.change(0, bind("n1"))
			s.change(2, nominate("n2"))
			return s.witness
		}},
	} {
		if got := strings.Join(c.tell().faults, "; "); !strings.Contains(got, c.fault) {
			t.Errorf("the witness says %q, want %q", got, c.fault)
		}
	}
}
