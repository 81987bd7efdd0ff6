package witness

import (
	"slices"
	"strconv"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

const (
	// Gate is the scheduling gate of pods of gangs; also the annotation that asks for a gang, and the
	// condition that says why it waits.
	Gate = "berth.dev/gang"
	// Name and Size are annotations of pods of gangs.
	Name = "berth.dev/gang-name"
	Size = "berth.dev/gang-size"
)

// Span is from one moment to another.
type Span struct{ From, To time.Time }

// Beside is how long the span is without what it has in common with any of the others, which do not
// overlap.
func (s Span) Beside(others []Span) time.Duration {
	left := s.To.Sub(s.From)
	for _, other := range others {
		from, to := s.From, s.To
		if other.From.After(from) {
			from = other.From
		}
		if other.To.Before(to) {
			to = other.To
		}
		left -= max(0, to.Sub(from))
	}
	return left
}

// Course is what became of a gang.
type Course struct {
	Pods   map[string]*corev1.Pod // by name
	Partly []Span                 // when some of its pods ran and others waited
	Held   time.Time              // when it first had a node for any pod; zero: not yet
	Whole  time.Time              // when the last of all its pods first got a node; zero: not yet
	Since  time.Time              // when the last of all its pods got a node in this start; zero: not yet
	Over   time.Time              // when the last of its pods that had a node was gone, or had ended
	Starts int                    // how often all of its pods got nodes when none had any before

	partly time.Time           // since when some of its pods run and others wait; zero: this is not so
	done   map[completion]bool // those that have succeeded, and whose pods never come again
}

// Longest is for how long some of its pods ran and others waited, at most.
func (c Course) Longest() time.Duration {
	var longest time.Duration
	for _, span := range c.Partly {
		longest = max(longest, span.To.Sub(span.From))
	}
	return longest
}

// completion is one of an Indexed Job.
type completion struct {
	job   types.UID
	index string
}

// note takes down whether the pod's Job is through with its index.
func (c *Course) note(pod *corev1.Pod) {
	index := pod.Annotations[batchv1.JobCompletionIndexAnnotation]
	if index == "" || pod.Status.Phase != corev1.PodSucceeded {
		return
	}
	c.done[completion{jobOf(pod), index}] = true
}

// left tells how many pods the gang still has to run. Those of Jobs that are gone come again.
func (c *Course) left(pod *corev1.Pod) int {
	jobs := map[types.UID]bool{jobOf(pod): true}
	for _, each := range c.Pods {
		jobs[jobOf(each)] = true
	}
	size, _ := strconv.Atoi(pod.Annotations[Size])
	for each := range c.done {
		if jobs[each.job] {
			size--
		}
	}
	return size
}

func jobOf(pod *corev1.Pod) types.UID {
	if owner := metav1.GetControllerOf(pod); owner != nil {
		return owner.UID
	}
	return ""
}

// HasEnded tells whether a pod needs its node no longer.
func HasEnded(pod *corev1.Pod) bool {
	return pod.Status.Phase == corev1.PodSucceeded || pod.Status.Phase == corev1.PodFailed
}

// IsGated tells whether a pod waits for its gang.
func IsGated(pod corev1.Pod) bool {
	return slices.ContainsFunc(pod.Spec.SchedulingGates, func(gate corev1.PodSchedulingGate) bool {
		return gate.Name == Gate
	})
}

// IsHeldBack tells whether a pod has a gate that is not Berth's.
func IsHeldBack(pod corev1.Pod) bool {
	return slices.ContainsFunc(pod.Spec.SchedulingGates, func(gate corev1.PodSchedulingGate) bool {
		return gate.Name != Gate
	})
}

// IsNominated tells whether a pod that is not bound keeps a node from others.
func IsNominated(pod corev1.Pod) bool {
	return pod.Spec.NodeName == "" && pod.Status.NominatedNodeName != ""
}

// HoldsNothing is of a pod that waits for its gang and keeps no place from others.
func HoldsNothing(pod corev1.Pod) bool {
	return IsGated(pod) && !IsNominated(pod) && pod.Spec.NodeName == ""
}

// holds tells whether the gang keeps any node from others.
func (c *Course) holds() bool {
	for _, pod := range c.Pods {
		if !HasEnded(pod) && (pod.Spec.NodeName != "" || pod.Status.NominatedNodeName != "") {
			return true
		}
	}
	return false
}

// judge takes the times of what is new since the pod has changed.
func (c *Course) judge(pod *corev1.Pod, now time.Time) {
	run, wait := c.count()
	switch isPartly := run > 0 && wait > 0; {
	case isPartly && c.partly.IsZero():
		c.partly = now
	case !isPartly && !c.partly.IsZero():
		c.Partly = append(c.Partly, Span{From: c.partly, To: now})
		c.partly = time.Time{}
	}
	if c.Held.IsZero() && c.holds() {
		c.Held = now
	}
	switch {
	case run == 0:
		c.Since = time.Time{}
		if pod.Spec.NodeName != "" {
			c.Over = now
		}
	case run == c.left(pod) && c.Since.IsZero():
		c.Since = now
		c.Starts++
		if c.Whole.IsZero() {
			c.Whole = now
		}
	}
}

// count tells how many of its pods have a node, and how many wait for one.
func (c *Course) count() (run, wait int) {
	for _, each := range c.Pods {
		switch {
		case each.DeletionTimestamp != nil || HasEnded(each):
		case each.Spec.NodeName == "":
			wait++
		default:
			run++
		}
	}
	return run, wait
}
