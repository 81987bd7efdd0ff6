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
	schedulerconfig "k8s.io/kube-scheduler/config/v1"

	"berth.dev/berth/tests/e2e/fleet"
)

const (
	namespaces = 4
	// longestJob is how many pods a Job has at most. Pods come in series, as in life, and
	// kube-scheduler alone may reuse its results for a pod that equals the one before.
	longestJob = 16
	// everyNodeFactor is how many times fewer pods are placed where every node is looked at, which
	// takes about as much longer.
	everyNodeFactor = 5
)

// load is a kind of pods, and how kube-scheduler looks for their nodes.
type load struct {
	name      string
	title     string
	ways      string // to compare by default
	single    bool   // pods of one device that name models by annotations alone, else see fleet.Mix
	spread    bool   // the pods have a constraint that kube-scheduler scores by
	everyNode bool   // percentageOfNodesToScore is 100, not the default
}

var allLoads = []load{
	{name: "single", title: "one device each, default node sampling", ways: "none,berth",
		single: true},
	{name: "single-all", title: "one device each, every node looked at", ways: "none,berth",
		single: true, everyNode: true},
	{name: "mixed", title: "mixed sizes, default node sampling", ways: "none,berth"},
	{name: "mixed-all", title: "mixed sizes, every node looked at", ways: "none,berth",
		everyNode: true},
	{name: "spread", title: "ScheduleAnyway spread, default node sampling", ways: "echo,berth",
		spread: true},
	{name: "spread-all", title: "ScheduleAnyway spread, every node looked at", ways: "echo,berth",
		spread: true, everyNode: true},
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

// count is how many of so many pods the load has.
func (l load) count(pods int) int {
	if l.everyNode {
		return max(2, pods/everyNodeFactor)
	}
	return pods
}

// pods are those of Jobs of several namespaces, shapes and models; the same seed makes the same. By
// their names a kube-scheduler that starts finds those of a Job one after the other.
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
	return fleet.Mix(seed, count)
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

// configure has kube-scheduler look for nodes as the load says.
func (l load) configure(config *schedulerconfig.KubeSchedulerConfiguration) {
	if l.everyNode {
		config.PercentageOfNodesToScore = new(int32(100))
	}
}
