package main

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"berth.dev/berth/tests/bench/placing"
	"berth.dev/berth/tests/e2e/fleet"
)

const (
	namespaces = 4
	// longestJob is how many pods a Job has at most. Pods come in series, as in life, and
	// kube-scheduler alone may reuse its results for a pod that equals the one before.
	longestJob = 16
)

// load is a kind of pods, and how they come.
type load struct {
	name   string
	title  string
	single bool // pods of one device that name models by annotations alone, else see fleet.Mix
	spread bool // the pods have a constraint that kube-scheduler scores by
	burst  bool // all at once
}

var allLoads = []load{
	{name: "single", title: "one device each", single: true},
	{name: "mixed", title: "mixed sizes with node affinity"},
	{name: "spread", title: "the same with ScheduleAnyway spread", spread: true},
	{name: "burst", title: "one device each, as a burst", single: true, burst: true},
}

// parseLoads reads names that commas separate.
func parseLoads(text string) ([]load, error) {
	var loads []load
	for name := range strings.SplitSeq(text, ",") {
		at := slices.IndexFunc(allLoads, func(l load) bool { return l.name == strings.TrimSpace(name) })
		if at < 0 {
			return nil, fmt.Errorf("-loads: %q is no load; write some of %s", name, loadNames())
		}
		loads = append(loads, allLoads[at])
	}
	return loads, nil
}

func loadNames() string {
	var names []string
	for _, l := range allLoads {
		names = append(names, l.name)
	}
	return strings.Join(names, ",")
}

// count is how many pods the load has.
func (l load) count(o options) int {
	if l.burst {
		return o.burst
	}
	return o.pods
}

// pace is how they come, where the others come at a rate.
func (l load) pace(rate float64) placing.Pace {
	if l.burst {
		return placing.Pace{}
	}
	return placing.Pace{PerSecond: rate}
}

// pods are those of Jobs of several namespaces, shapes and models; the same seed makes the same.
// Those of a Job come one after the other.
func (l load) pods(seed uint64, count int) []*corev1.Pod {
	random := rand.New(rand.NewPCG(seed, 5))
	var pods []*corev1.Pod
	for job, template := range l.templates(seed, count) { // one pod at least of each
		l.complete(template, job, random.IntN(namespaces))
		for range 1 + random.IntN(longestJob) {
			if len(pods) == count {
				return pods
			}
			pod := template.DeepCopy()
			pod.Name = fmt.Sprintf("train-%05d", len(pods))
			pods = append(pods, pod)
		}
	}
	return pods
}

func (l load) templates(seed uint64, count int) []*corev1.Pod {
	if l.single {
		return fleet.Singles(seed, count)
	}
	mixed := fleet.Mix(seed, count)
	for _, pod := range mixed {
		fleet.Admit(pod)
	}
	return mixed
}

// complete makes a pod one of a Job of a namespace.
func (l load) complete(pod *corev1.Pod, job, namespace int) {
	owner := batchv1.Job{ObjectMeta: metav1.ObjectMeta{
		Name: fmt.Sprintf("train-%d", job), UID: types.UID(fmt.Sprintf("job-%d", job))}}
	pod.Namespace = namespaceName(namespace)
	pod.OwnerReferences = []metav1.OwnerReference{
		*metav1.NewControllerRef(&owner, batchv1.SchemeGroupVersion.WithKind("Job"))}
	if l.spread {
		pod.Spec.TopologySpreadConstraints = []corev1.TopologySpreadConstraint{{
			MaxSkew: 1, TopologyKey: corev1.LabelHostname, WhenUnsatisfiable: corev1.ScheduleAnyway,
			LabelSelector: &metav1.LabelSelector{MatchLabels: pod.Labels},
		}}
	}
}

func namespaceName(index int) string { return fmt.Sprintf("team-%d", index+1) }

func namespaceNames() []string {
	var names []string
	for index := range namespaces {
		names = append(names, namespaceName(index))
	}
	return names
}
