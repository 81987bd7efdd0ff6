// Package judge tells which pods were bound to a broken node, from the API's own objects. Of Berth it
// takes nothing but the revision of nodes at which it has decided: what was broken by then is its
// fault, what broke later nobody's.
package judge

import (
	"sort"
	"strconv"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
)

// window is when something happened, in the API's revisions, both ends included. All kinds share
// one line of revisions (etcd's), so a node's change and a pod's binding can be ordered. An event
// seen on a watch has one revision; across a gap in the watch only bounds are known.
type window struct{ first, last int64 }

func (w window) before(other window) bool { return w.last < other.first }

// at is the window of what a watch event shows: exactly its revision.
func at(revision int64) window { return window{revision, revision} }

// within is the window of what a list shows that was not so at the revision since.
func within(since, revision int64) window { return window{min(since+1, revision), revision} }

// revisionOf reads a resource version. They are etcd's revisions: whole numbers.
func revisionOf(resourceVersion string) int64 {
	revision, _ := strconv.ParseInt(resourceVersion, 10, 64)
	return revision
}

// change is a condition of a node beginning or ceasing to be True.
type change struct {
	when    window
	arrived time.Time // at the judge
	broken  bool
}

// binding is a pod getting its node.
type binding struct {
	uid       types.UID
	pod       types.NamespacedName
	node      string
	when      window
	arrived   time.Time
	resources []string // that the pod requests
}

type conditionOf struct{ node, condition string }

// history collects what has been seen. Not thread-safe.
type history struct {
	changes  map[conditionOf][]change // in the order of revisions
	bindings map[types.UID]binding
	decided  map[types.UID]int64 // the revision of nodes by which Berth has decided last
}

func newHistory() *history {
	return &history{changes: map[conditionOf][]change{}, bindings: map[types.UID]binding{},
		decided: map[types.UID]int64{}}
}

// sawDecision records what Berth says. Of a pod that was refused and tried again the last counts:
// nobody asks about a pod that is bound.
func (h *history) sawDecision(d decision) { h.decided[d.pod] = d.nodeRevision }

// sawNode records what the node's conditions say since when.
func (h *history) sawNode(node *corev1.Node, when window, arrived time.Time) {
	for _, condition := range node.Status.Conditions {
		key := conditionOf{node.Name, string(condition.Type)}
		h.record(key, change{when, arrived, condition.Status == corev1.ConditionTrue})
	}
}

// lostNode records that a node was deleted: a later node of its name starts afresh.
func (h *history) lostNode(name string, when window, arrived time.Time) {
	for key := range h.changes {
		if key.node == name {
			h.record(key, change{when, arrived, false})
		}
	}
}

func (h *history) record(key conditionOf, next change) {
	changes := h.changes[key]
	was := len(changes) > 0 && changes[len(changes)-1].broken
	if next.broken != was {
		h.changes[key] = append(changes, next)
	}
}

// sawPod records the first sight of a pod with a node.
func (h *history) sawPod(pod *corev1.Pod, when window, arrived time.Time) {
	if _, known := h.bindings[pod.UID]; known || pod.Spec.NodeName == "" {
		return
	}
	h.bindings[pod.UID] = binding{
		uid:       pod.UID,
		pod:       types.NamespacedName{Namespace: pod.Namespace, Name: pod.Name},
		node:      pod.Spec.NodeName,
		when:      when,
		arrived:   arrived,
		resources: requested(pod),
	}
}

func requested(pod *corev1.Pod) []string {
	seen := map[string]bool{}
	containers := append(append([]corev1.Container{}, pod.Spec.InitContainers...),
		pod.Spec.Containers...)
	for _, container := range containers {
		for name, quantity := range container.Resources.Requests {
			if !quantity.IsZero() {
				seen[string(name)] = true
			}
		}
	}
	var names []string
	for name := range seen {
		names = append(names, name)
	}
	sort.Strings(names)
	return names
}
