package main

import (
	"reflect"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"berth.dev/berth/tests/e2e/fleet"
)

func TestPodsAreDecidedByTheirSeed(t *testing.T) {
	l := load{}
	if !reflect.DeepEqual(l.pods(3, 200), l.pods(3, 200)) {
		t.Error("the same seed made other pods: ways would not place the same")
	}
	if reflect.DeepEqual(l.pods(3, 200), l.pods(4, 200)) {
		t.Error("another seed made the same pods")
	}
}

// No cache is to be tuned to one pod, and none to find nothing again.
func TestPodsVaryAndComeInSeries(t *testing.T) {
	pods := load{}.pods(1, 500)
	asks, jobs, teams := map[string]bool{}, map[string]int{}, map[string]bool{}
	for _, pod := range pods {
		asks[pod.Labels[fleet.LabelAsks]] = true
		jobs[metav1.GetControllerOf(pod).Name]++
		teams[pod.Namespace] = true
	}
	if len(pods) != 500 || len(asks) < 6 || len(teams) != namespaces || len(jobs) < 500/longestJob {
		t.Errorf("%d pods that ask for %d, of %d Jobs in %d namespaces", len(pods), len(asks), len(jobs),
			len(teams))
	}
	most := 0
	for _, count := range jobs {
		most = max(most, count)
	}
	if most < 2 || most > longestJob {
		t.Errorf("the largest Job has %d pods, want 2 to %d", most, longestJob)
	}
	for i, pod := range pods[1:] {
		if pod.Name <= pods[i].Name {
			t.Fatalf("%s comes after %s", pod.Name, pods[i].Name)
		}
	}
}

func TestPodsOfAJobAreEqual(t *testing.T) {
	byJob := map[string]*corev1.Pod{}
	for _, pod := range (load{spread: true}).pods(1, 100) {
		job := metav1.GetControllerOf(pod).Name
		first, known := byJob[job]
		if !known {
			byJob[job] = pod
			continue
		}
		if !reflect.DeepEqual(first.Spec, pod.Spec) || !reflect.DeepEqual(first.Labels, pod.Labels) ||
			first.Namespace != pod.Namespace {
			t.Errorf("%s differs from %s of the same Job", pod.Name, first.Name)
		}
	}
}

func TestSpreadConstraintIsSoftAndSelectsThePodsOwn(t *testing.T) {
	pod := load{spread: true}.pods(1, 1)[0]
	constraints := pod.Spec.TopologySpreadConstraints
	if len(constraints) != 1 || constraints[0].WhenUnsatisfiable != corev1.ScheduleAnyway ||
		!reflect.DeepEqual(constraints[0].LabelSelector.MatchLabels, pod.Labels) {
		t.Errorf("constraints %+v", constraints)
	}
	if plain := (load{}).pods(1, 1)[0]; plain.Spec.TopologySpreadConstraints != nil {
		t.Error("a plain pod has a constraint")
	}
}

func TestSinglePodsOfAJobTakeOneDevice(t *testing.T) {
	jobs := map[string]bool{}
	for _, pod := range (load{single: true}).pods(1, 100) {
		jobs[metav1.GetControllerOf(pod).Name] = true
		if pod.Spec.Affinity != nil || pod.Spec.Containers[0].Resources.Limits.Name(
			fleet.ResourceGPU, "").Value() > 1 {
			t.Errorf("%s asks for %v, affinity %v", pod.Name, pod.Spec.Containers[0].Resources.Limits,
				pod.Spec.Affinity)
		}
	}
	if len(jobs) < 100/longestJob {
		t.Errorf("100 pods of %d Jobs", len(jobs))
	}
}

func TestLoads(t *testing.T) {
	loads, err := parseLoads("burst, mixed")
	if err != nil || len(loads) != 2 || loads[0].name != "burst" || loads[1].name != "mixed" {
		t.Fatalf("loads %+v (%v)", loads, err)
	}
	o := options{pods: 2000, burst: 500, rate: 400}
	if l := loads[1]; l.count(o) != 2000 || l.pace(o.rate).PerSecond != 400 {
		t.Errorf("mixed: %d pods, %v", l.count(o), l.pace(o.rate))
	}
	if l := loads[0]; l.count(o) != 500 || l.pace(o.rate).PerSecond != 0 {
		t.Errorf("burst: %d pods, %v", l.count(o), l.pace(o.rate))
	}
	if _, err := parseLoads("mixed,nonsense"); err == nil ||
		!strings.Contains(err.Error(), "write some of single,mixed,spread,burst") {
		t.Errorf("error %v does not say what to write", err)
	}
}

// What admission writes of annotations, kube-scheduler alone has to respect as well.
func TestMixedPodsHaveTheAffinityOfTheirAnnotations(t *testing.T) {
	named := 0
	for _, pod := range (load{}).pods(1, 100) {
		models := pod.Annotations[fleet.AnnotationAccelerators]
		if models == "" {
			continue
		}
		named++
		terms := pod.Spec.Affinity.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution
		first := terms.NodeSelectorTerms[0].MatchExpressions[0]
		if first.Key != fleet.LabelAccelerator || strings.Join(first.Values, ",") != models {
			t.Errorf("%s asks for %s, and for nodes with %+v", pod.Name, models, first)
		}
	}
	if named < 50 {
		t.Errorf("%d of 100 pods name models", named)
	}
}
