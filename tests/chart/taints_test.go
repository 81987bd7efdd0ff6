package chart

import (
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
)

const tainting = `
priorityClassName: system-cluster-critical
config: {prefix: ml.example.com, controller: {taints: true}}`

// hooks are the objects that Helm makes at an event alone.
func hooks(r *release, event string) []object {
	return slices.DeleteFunc(slices.Clone(r.objects),
		func(o object) bool { return o.GetAnnotations()["helm.sh/hook"] != event })
}

// Everything else of the release is gone by then, and so nobody may taint a node any more.
func TestUninstallRemovesTaints(t *testing.T) {
	r := render(t, tainting)
	found := hooks(r, "post-delete")
	if len(found) != 4 {
		t.Errorf("%d hooks, want a pod, its account, and the account's role", len(found))
	}
	for _, o := range found {
		if o.GetName() != "berth-cleanup" ||
			o.GetAnnotations()["helm.sh/hook-delete-policy"] != "before-hook-creation,hook-succeeded" {
			t.Errorf("%T %s is deleted by %v", o, o.GetName(), o.GetAnnotations())
		}
	}
	pod := named[*corev1.Pod](r, "berth-cleanup")
	if weight := pod.Annotations["helm.sh/hook-weight"]; weight != "0" {
		t.Errorf("the pod has weight %s, which is not behind its rights", weight)
	}
	args := pod.Spec.Containers[0].Args
	if !slices.Equal(args, []string{"untaint", "--prefix", "ml.example.com"}) {
		t.Errorf("runs %v", args)
	}
	if got := len(pod.Spec.Containers); got != 1 {
		t.Errorf("%d containers where no gang waits", got)
	}
	want := []right{{"", "nodes", "", "list"}, {"", "nodes", "", "patch"}}
	if got := rights(named[*rbacv1.ClusterRole](r, "berth-cleanup").Rules); !slices.Equal(got, want) {
		t.Errorf("may do %v", got)
	}
	if help := berth(t, "", "untaint", "--help"); !strings.Contains(help, "--prefix") {
		t.Errorf("the program does not take these arguments:\n%s", help)
	}
}

// No scheduler looks at a pod that has a gate, and nobody else would take it away.
func TestUninstallReleasesGangs(t *testing.T) {
	pods := []right{{"", "pods", "", "list"}, {"", "pods", "", "patch"}}
	both := append([]right{{"", "nodes", "", "list"}, {"", "nodes", "", "patch"}}, pods...)
	for _, c := range []struct {
		values string
		want   [][]string
		rights []right
	}{
		{"config: {planner: {gangs: {enabled: true}}}",
			[][]string{{"release", "--all", "--prefix", "berth.dev"}}, pods},
		{"config: {admission: {policies: {gangs: {mode: Enforce}}}}",
			[][]string{{"release", "--all", "--prefix", "berth.dev"}}, pods},
		{"config: {planner: {gangs: {podGroups: true}}}",
			[][]string{{"release", "--all", "--prefix", "berth.dev"}},
			append(slices.Clone(pods), right{"scheduling.k8s.io", "podgroups", "", "create"},
				right{"scheduling.k8s.io", "podgroups", "", "patch"})},
		{"config: {prefix: ml.example.com, controller: {taints: true}, planner: {gangs: {enabled: true}}}",
			[][]string{{"untaint", "--prefix", "ml.example.com"}, {"release", "--all", "--prefix", "ml.example.com"}},
			both},
	} {
		r := render(t, c.values)
		var got [][]string
		for _, container := range named[*corev1.Pod](r, "berth-cleanup").Spec.Containers {
			got = append(got, container.Args)
		}
		if !slices.EqualFunc(got, c.want, slices.Equal[[]string]) {
			t.Errorf("%s: runs %v, want %v", c.values, got, c.want)
		}
		if may := rights(named[*rbacv1.ClusterRole](r, "berth-cleanup").Rules); !slices.Equal(may, c.rights) {
			t.Errorf("%s: may do %v", c.values, may)
		}
	}
	help := berth(t, "", "release", "--help")
	if !strings.Contains(help, "--prefix") || !strings.Contains(help, "--all") {
		t.Errorf("the program does not take these arguments:\n%s", help)
	}
}

// The quota without which some clusters allow no such class goes before the hook runs.
func TestPodThatCleansUpNeedsNoQuota(t *testing.T) {
	r := render(t, tainting)
	if class := named[*corev1.Pod](r, "berth-cleanup").Spec.PriorityClassName; class != "" {
		t.Errorf("has class %s", class)
	}
	if class := podsOf(r)["berth-controller"].Spec.PriorityClassName; class == "" {
		t.Error("the controller has no class")
	}
}

func TestUninstallRunsNothingWhereNothingIsLeft(t *testing.T) {
	for _, values := range []string{"", `config: {controller: {taints: false}}`,
		`config: {admission: {policies: {gangs: {mode: Off}}}}`,
		"admission: {enabled: false}\nconfig: {admission: {policies: {gangs: {mode: Enforce}}}}"} {
		if found := hooks(render(t, values), "post-delete"); len(found) > 0 {
			t.Errorf("%s%d hooks", values, len(found))
		}
	}
}
