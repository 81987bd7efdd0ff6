package gangs

import (
	"fmt"
	"slices"
	"testing"

	corev1 "k8s.io/api/core/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"berth.dev/berth/tests/e2e/fleet"
)

const (
	keptAnnotation    = "berth.dev/kept"
	runtimeAnnotation = "berth.dev/max-runtime"
	small             = "small-" // single pods of one device
	urgent            = "urgent" // a priority
)

// A gang needs a whole rack, which is full of small pods. Others keep coming: for each that ends, one
// is created, and takes its device if it may. Only the extender can keep it off, since kube-scheduler
// places it. Those that come before the gang, or end in time, get devices all the while.
func TestALargeGangStartsThoughSinglePodsKeepComing(t *testing.T) {
	w := fresh(t)
	w.rank(urgent, 1000)
	s := &stream{world: w, rack: w.rackOf(pool().NodeName(0))}
	s.fill()
	train := members("train", rackNodes, devices)
	for _, pod := range train {
		s.bind(pod)
	}
	w.create(train...)
	w.awaitPhase("waiting")
	w.Await("its nodes to be kept", func() bool { return len(w.kept()) == rackNodes })
	for range devices {
		s.replaceOldest()
	}
	s.expectRoomForThoseWhoMay()
	for most := 2 * rackNodes * devices; len(s.running()) > 0; most-- {
		if most == 0 {
			t.Fatalf("single pods take every device that becomes free; on nodes: %d", len(s.running()))
		}
		s.replaceOldest()
	}
	w.all("train-", rackNodes, "run", isRunning)
	w.Await("nothing to be kept any more", func() bool { return len(w.kept()) == 0 })
}

// kept are the nodes that say that room there is kept for gangs.
func (w *world) kept() map[string]bool {
	w.Helper()
	list, err := shared.Client.CoreV1().Nodes().List(w.Context(), metav1.ListOptions{})
	w.Check("list nodes", err)
	kept := map[string]bool{}
	for _, node := range list.Items {
		if node.Annotations[keptAnnotation] != "" {
			kept[node.Name] = true
		}
	}
	return kept
}

// rank makes a priority class, and waits until kube-apiserver admits pods with it.
func (w *world) rank(name string, value int32) {
	w.Helper()
	_, err := shared.Client.SchedulingV1().PriorityClasses().Create(w.Context(),
		&schedulingv1.PriorityClass{ObjectMeta: metav1.ObjectMeta{Name: name}, Value: value},
		metav1.CreateOptions{})
	if !apierrors.IsAlreadyExists(err) {
		w.Check("create the priority class", err)
	}
	pod := single("probe", "", 1)
	pod.Spec.PriorityClassName = name
	w.Await("the priority class "+name, func() bool {
		_, err := shared.Client.CoreV1().Pods(namespace).Create(w.Context(), pod,
			metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
		return err == nil
	})
}

// stream is of single pods of one device on the nodes of one rack.
type stream struct {
	*world
	rack string
	made int
}

// bind has a pod run on the rack alone.
func (s *stream) bind(pod *corev1.Pod) {
	pod.Spec.NodeSelector = map[string]string{fleet.LabelRack: s.rack}
}

// next is another pod. With a node it has been placed already.
func (s *stream) next(node string) *corev1.Pod {
	pod := single(fmt.Sprintf("%s%03d", small, s.made), node, 1)
	s.bind(pod)
	s.made++
	return pod
}

// fill has the pods take all devices of the rack.
func (s *stream) fill() {
	s.Helper()
	var pods []*corev1.Pod
	for i := range rackNodes * devices {
		pods = append(pods, s.next(pool().NodeName(i%rackNodes)))
	}
	s.create(pods...)
	s.all(small, len(pods), "run", isRunning)
}

// running are the pods that have nodes, the oldest first.
func (s *stream) running() []corev1.Pod {
	s.Helper()
	return slices.DeleteFunc(s.pods(small), func(pod corev1.Pod) bool { return !isBound(pod) })
}

// replaceOldest ends the oldest pod that has a node and creates another one, and waits until
// kube-scheduler has tried that, and the device is taken again or kept.
func (s *stream) replaceOldest() {
	s.Helper()
	oldest, added := s.running()[0], s.next("")
	s.delete(oldest.Name)
	s.create(added)
	node := oldest.Spec.NodeName
	s.Await(fmt.Sprintf("%s to be tried and %s to be full or kept", added.Name, node), func() bool {
		tried, taken := false, 0
		for _, pod := range s.pods(small) {
			if pod.Name == added.Name {
				tried = isBound(pod) || isRefused(pod)
			}
			if pod.Spec.NodeName == node {
				taken++
			}
		}
		return tried && (taken == devices || s.kept()[node])
	})
}

// expectRoomForThoseWhoMay has pods come that may use what is kept, and ends them.
func (s *stream) expectRoomForThoseWhoMay() {
	s.Helper()
	brief, first := single("may-be-brief", "", 1), single("may-be-first", "", 1)
	brief.Annotations[runtimeAnnotation] = "1m"
	first.Spec.PriorityClassName = urgent
	for _, pod := range []*corev1.Pod{brief, first} {
		s.bind(pod)
	}
	s.create(brief, first)
	for _, pod := range s.all("may-be-", 2, "run", isRunning) {
		if !s.kept()[pod.Spec.NodeName] {
			s.Errorf("%s is on %s, which is not kept", pod.Name, pod.Spec.NodeName)
		}
	}
	s.delete(brief.Name, first.Name)
}
