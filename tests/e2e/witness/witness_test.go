package witness

import (
	"fmt"
	"strings"
	"testing"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"

	"berth.dev/berth/tests/e2e/fleet"
)

const devices = 8 // of a node

// shown has a witness see a gang of two pods that ask for all devices of a node each.
type shown struct {
	*Witness
	now  time.Time
	pods []*corev1.Pod
}

func show(names ...string) *shown {
	s := &shown{Witness: made(metav1.NamespaceDefault, devices), now: time.Now()}
	for _, name := range names {
		for i := range 2 {
			pod := member(name, i)
			s.pods = append(s.pods, pod)
			s.see(watch.Added, pod.DeepCopy(), s.now)
		}
	}
	return s
}

func member(gang string, index int) *corev1.Pod {
	ask := fleet.Ask{Resource: fleet.ResourceGPU, Devices: devices}
	pod := ask.Pod(fmt.Sprintf("%s-%d", gang, index))
	pod.Annotations[Name], pod.Annotations[Size] = gang, "2"
	pod.Spec.SchedulingGates = []corev1.PodSchedulingGate{{Name: Gate}}
	return pod
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
	course := s.Courses()["a"]
	if len(s.faults) > 0 || course.Longest() != 2*time.Second || !course.Whole.Equal(s.now) {
		t.Errorf("faults %v, partly for %s, whole at %s", s.faults, course.Longest(), course.Whole)
	}
	if len(course.Partly) != 1 || course.Partly[0].To.Sub(course.Partly[0].From) != course.Longest() {
		t.Errorf("partly at %v", course.Partly)
	}
	s.change(0, func(pod *corev1.Pod) { pod.Status.Phase = corev1.PodSucceeded })
	if !s.Courses()["a"].Over.IsZero() {
		t.Error("it is over while a pod runs")
	}
	s.change(1, func(pod *corev1.Pod) { pod.DeletionTimestamp = &metav1.Time{Time: s.now} })
	if s.Courses()["a"].Over.IsZero() {
		t.Error("it is never over")
	}
}

func TestASpanBesideOthers(t *testing.T) {
	at := func(second int) time.Time { return time.Unix(int64(second), 0) }
	span := func(from, to int) Span { return Span{From: at(from), To: at(to)} }
	others := []Span{span(0, 5), span(12, 14), span(18, 30), span(40, 50)}
	if beside := span(10, 20).Beside(others); beside != 6*time.Second {
		t.Errorf("10 to 20 has %s of its own", beside)
	}
	if beside := span(41, 42).Beside(others); beside != 0 {
		t.Errorf("41 to 42 has %s of its own", beside)
	}
}

func TestTheWitnessTellsWhatShouldNeverBe(t *testing.T) {
	for _, c := range []struct {
		fault string
		tell  func() *Witness
	}{
		{"released when 1 of 2 pods", func() *Witness {
			s := show("a")
			s.change(0, nominate("n1"))
			s.change(0, ungate)
			return s.Witness
		}},
		{"pods with 16 devices", func() *Witness {
			s := show("a")
			s.change(0, bind("n1"))
			s.change(1, bind("n1"))
			return s.Witness
		}},
		{"nominated and the gates", func() *Witness {
			s := show("a")
			s.change(0, func(pod *corev1.Pod) {
				pod.Spec.SchedulingGates = append(pod.Spec.SchedulingGates,
					corev1.PodSchedulingGate{Name: "example.com/queue"})
				pod.Status.NominatedNodeName = "n1"
			})
			return s.Witness
		}},
		{"hold nodes at the same time", func() *Witness {
			s := show("a", "b")
			s.ExpectRivals(true)
			s.change(0, bind("n1"))
			s.change(2, nominate("n2"))
			return s.Witness
		}},
	} {
		if got := strings.Join(c.tell().faults, "; "); !strings.Contains(got, c.fault) {
			t.Errorf("the witness says %q, want %q", got, c.fault)
		}
	}
}

// A gang that starts over has its nodes as a whole again; who is about to go does not count.
func TestTheWitnessCountsStarts(t *testing.T) {
	s := show("a")
	run := func() {
		s.change(0, nominate("n1"))
		s.change(1, nominate("n2"))
		s.change(0, ungate)
		s.change(0, bind("n1"))
		s.change(1, ungate)
		s.change(1, bind("n2"))
	}
	held := s.now.Add(time.Second)
	run()
	for i := range s.pods {
		s.see(watch.Deleted, s.pods[i], s.now)
		s.pods[i] = member("a", i)
		s.see(watch.Added, s.pods[i].DeepCopy(), s.now)
	}
	run()
	if course := s.Courses()["a"]; len(s.faults) > 0 || course.Starts != 2 || !course.Held.Equal(held) {
		t.Errorf("faults %v, %d starts, held a node at %s", s.faults, course.Starts, course.Held)
	}
}

// Its Job makes that pod never again, so the gang starts over without it.
func TestTheWitnessKnowsWhichPodsNeverComeAgain(t *testing.T) {
	s := show("a")
	s.pods[0].Annotations[batchv1.JobCompletionIndexAnnotation] = "0"
	s.change(0, func(pod *corev1.Pod) { pod.Status.Phase = corev1.PodSucceeded })
	s.see(watch.Deleted, s.pods[0], s.now)
	s.change(1, nominate("n2"))
	s.change(1, ungate)
	s.change(1, bind("n2"))
	if course := s.Courses()["a"]; len(s.faults) > 0 || course.Starts != 1 {
		t.Errorf("faults %v, %d starts", s.faults, course.Starts)
	}
}
