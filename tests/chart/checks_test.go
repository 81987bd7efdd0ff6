package chart

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
)

// Pods of checks give way to every other pod. Without checks there is nothing of them.
func TestChecksHaveAPriorityBelowAllOthers(t *testing.T) {
	checks := `config: {controller: {activeChecks: [{name: vector-add, image: "registry.example/vector-add:1"}]}}`
	r := render(t, checks)
	class := named[*schedulingv1.PriorityClass](r, "berth-checks")
	if class.Value >= -10 || class.PreemptionPolicy == nil ||
		*class.PreemptionPolicy != corev1.PreemptNever || class.GlobalDefault {
		t.Errorf("the PriorityClass is %+v", class)
	}
	for _, said := range []string{"priorityClass: berth-checks", "scheduler: berth"} {
		if !strings.Contains(configuration(r), said) {
			t.Errorf("the configuration lacks %q", said)
		}
	}
	if own := configuration(render(t, checks+"\nscheduler: {enabled: false}")); strings.Contains(own,
		"scheduler: berth") {
		t.Error("with a kube-scheduler of one's own they go to the chart's")
	}
	for _, gone := range []string{"kind: PriorityClass", "nodes/status", "checkPods"} {
		if strings.Contains(render(t, "").text, gone) {
			t.Errorf("without checks there is %s", gone)
		}
	}
}

// Those of preflights, too.
func TestPreflightsHaveTheSamePriority(t *testing.T) {
	r := render(t, `config: {planner: {gangs: {enabled: true, preflight: {image: "registry.example/a:1"}}}}`)
	if class := named[*schedulingv1.PriorityClass](r, "berth-checks"); class.Value >= -10 {
		t.Errorf("the PriorityClass is %+v", class)
	}
	if !strings.Contains(configuration(r), "priorityClass: berth-checks") {
		t.Error("the configuration does not name the PriorityClass")
	}
}

// The values that docs/faults.md offers.
func TestTheExampleOfChecksIsValid(t *testing.T) {
	values, err := os.ReadFile(filepath.Join(repoRoot(t), "docs", "active-checks.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	own := configuration(render(t, string(values)))
	berth(t, own, "config", "validate", "-")
	for _, name := range []string{"name: vector-add", "name: all-reduce", "preflight:"} {
		if !strings.Contains(own, name) {
			t.Errorf("the configuration lacks %q", name)
		}
	}
}
