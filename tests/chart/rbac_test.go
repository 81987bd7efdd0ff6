package chart

import (
	"cmp"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/api/equality"
)

// right is one verb on one resource; Name is empty where it is held for all of them.
type right struct{ Group, Resource, Name, Verb string }

// rights are the single rights that rules give, in order.
func rights(rules []rbacv1.PolicyRule) []right {
	var found []right
	for _, rule := range rules {
		names := rule.ResourceNames
		if len(names) == 0 {
			names = []string{""}
		}
		for _, group := range rule.APIGroups {
			for _, resource := range rule.Resources {
				for _, name := range names {
					for _, verb := range rule.Verbs {
						found = append(found, right{group, resource, name, verb})
					}
				}
			}
		}
	}
	slices.SortFunc(found, func(a, b right) int {
		return cmp.Or(cmp.Compare(a.Group, b.Group), cmp.Compare(a.Resource, b.Resource),
			cmp.Compare(a.Name, b.Name), cmp.Compare(a.Verb, b.Verb))
	})
	return slices.Compact(found)
}

// printed are the rights that a subcommand says it needs for the release's configuration.
func printed(r *release, subcommand string) (cluster, namespaced []right) {
	r.Helper()
	args := []string{subcommand, "--rbac", "--config", "-"}
	var clusterRules, rules []rbacv1.PolicyRule
	for document := range strings.SplitSeq(berth(r, configuration(r), args...), "---\n") {
		switch role := decode(r, []byte(document)).(type) {
		case *rbacv1.ClusterRole:
			clusterRules = append(clusterRules, role.Rules...)
		case *rbacv1.Role:
			rules = append(rules, role.Rules...)
		}
	}
	return rights(clusterRules), rights(rules)
}

// The rights of the parts are what the parts say they need, no more and no less.
func TestRolesAreThoseThatThePartsPrint(t *testing.T) {
	forEach(t, func(t *testing.T, r *release) {
		prefix := prefixOf(r)
		parts := []string{"extender", "controller"}
		if has[*rbacv1.ClusterRole](r, prefix+"board") {
			parts = append(parts, "board")
		}
		for _, part := range parts {
			cluster, namespaced := printed(r, part)
			role := named[*rbacv1.ClusterRole](r, prefix+part)
			if got := rights(role.Rules); !equality.Semantic.DeepEqual(got, cluster) {
				t.Errorf("ClusterRole of %s gives\n%v\nwant\n%v", part, got, cluster)
			}
			var rules []rbacv1.PolicyRule
			for _, role := range all[*rbacv1.Role](r) {
				if role.Name == prefix+part || role.Name == prefix+part+"-leases" {
					rules = append(rules, role.Rules...)
				}
			}
			if got := rights(rules); !equality.Semantic.DeepEqual(got, namespaced) {
				t.Errorf("Role of %s gives\n%v\nwant\n%v", part, got, namespaced)
			}
		}
	})
}

// A kube-scheduler that starts does not know what is reserved for gangs, so the controller has to see it.
func TestControllerReadsTheLeasesOfTheSchedulersThatItPlansGangsFor(t *testing.T) {
	const gangs = "gangs: {enabled: true"
	for _, c := range []struct {
		values string
		want   []string
	}{
		{"config: {planner: {" + gangs + "}}}", []string{"berth-system/berth-scheduler"}},
		{"scheduler: {enabled: false}\nconfig: {planner: {schedulers: [default-scheduler], " + gangs + "}}}",
			[]string{"kube-system/kube-scheduler"}},
		{"config: {planner: {" + gangs + ", schedulerLeases: [ml/a, ml/b, gpu/c]}}}",
			[]string{"gpu/c", "ml/a", "ml/b"}},
		{"config: {planner: {" + gangs + ", schedulerLeases: []}}}", nil},
		{"config: {planner: {schedulers: [], " + gangs + "}}}", nil},
	} {
		r := render(t, c.values)
		var got []string
		for _, role := range all[*rbacv1.Role](r) {
			if role.Name != "berth-controller-leases" {
				continue
			}
			for _, right := range rights(role.Rules) {
				got = append(got, role.Namespace+"/"+right.Name)
			}
			if its := bound(r, "berth-controller"); !slices.Contains(its, "Role berth-controller-leases in "+role.Namespace) {
				t.Errorf("%s: the controller has %v", c.values, its)
			}
		}
		slices.Sort(got)
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: may read %v, want %v", c.values, got, c.want)
		}
	}
}

// prefixOf is what the names of the release's parts begin with.
func prefixOf(r *release) string {
	r.Helper()
	for _, account := range all[*corev1.ServiceAccount](r) {
		if prefix, is := strings.CutSuffix(account.Name, "controller"); is {
			return prefix
		}
	}
	r.Fatal("the release has no controller")
	return ""
}

// bound are the roles that a service account has, as "Kind name in namespace".
func bound(r *release, account string) []string {
	var found []string
	add := func(kind, namespace string, ref rbacv1.RoleRef, subjects []rbacv1.Subject) {
		for _, subject := range subjects {
			if subject.Kind == "ServiceAccount" && subject.Name == account &&
				subject.Namespace == namespaceOf(r) {
				found = append(found, strings.TrimSuffix(ref.Kind+" "+ref.Name+" in "+namespace, " in "))
			}
		}
		if kind != "" && len(subjects) != 1 {
			r.Errorf("%s binds %v", kind, subjects)
		}
	}
	for _, binding := range all[*rbacv1.ClusterRoleBinding](r) {
		add(binding.Name, "", binding.RoleRef, binding.Subjects)
	}
	for _, binding := range all[*rbacv1.RoleBinding](r) {
		add(binding.Name, binding.Namespace, binding.RoleRef, binding.Subjects)
	}
	slices.Sort(found)
	return found
}

func namespaceOf(r *release) string { return all[*corev1.ServiceAccount](r)[0].Namespace }

func TestServiceAccountsHaveTheirRolesAndNoOthers(t *testing.T) {
	controller := []string{"ClusterRole berth-controller", "Role berth-controller in berth-system"}
	test := []string{"ClusterRole berth-test", "Role berth-test in default"}
	for _, c := range []struct {
		values string
		want   map[string][]string
	}{
		{"", map[string][]string{
			"berth-admission": nil, "berth-controller": controller, "berth-test": test,
			"berth-extender": {"ClusterRole berth-extender", "Role berth-extender in berth-system"},
			// As a second scheduler needs them.
			"berth-scheduler": {
				"ClusterRole system:kube-scheduler",
				"ClusterRole system:volume-scheduler", "Role berth-scheduler in berth-system",
				"Role extension-apiserver-authentication-reader in kube-system"},
		}},
		{`scheduler: {enabled: false}`, map[string][]string{
			"berth-admission": nil, "berth-controller": controller, "berth-test": test,
			"berth-extender": {"ClusterRole berth-extender"},
		}},
	} {
		r := render(t, c.values)
		for _, account := range all[*corev1.ServiceAccount](r) {
			want, known := c.want[account.Name]
			if got := bound(r, account.Name); !known || !slices.Equal(got, want) {
				t.Errorf("%s%s has %v, want %v", c.values, account.Name, got, want)
			}
		}
		if got := len(all[*corev1.ServiceAccount](r)); got != len(c.want) {
			t.Errorf("%s%d service accounts, want %d", c.values, got, len(c.want))
		}
	}
}

// Its Lease is not that of the cluster's own scheduler, which would then do nothing.
func TestSchedulerMayUseItsOwnLeaseAlone(t *testing.T) {
	got := rights(named[*rbacv1.Role](render(t, ""), "berth-scheduler").Rules)
	want := []right{{"coordination.k8s.io", "leases", "berth-scheduler", "get"},
		{"coordination.k8s.io", "leases", "berth-scheduler", "update"}}
	if !slices.Equal(got, want) {
		t.Errorf("gives %v", got)
	}
}

func TestRightsOfHelmTestAreThoseThatDoctorPrints(t *testing.T) {
	r := render(t, "tests: {namespace: ml}")
	text := berth(t, "", append(doctorArguments(r), "--rbac")...)
	for document := range strings.SplitSeq(text, "---\n") {
		switch want := decode(t, []byte(document)).(type) {
		case *rbacv1.ClusterRole:
			got := rights(named[*rbacv1.ClusterRole](r, "berth-test").Rules)
			if !slices.Equal(got, rights(want.Rules)) {
				t.Errorf("for the cluster: %v, want %v", got, want.Rules)
			}
		case *rbacv1.Role:
			role := named[*rbacv1.Role](r, "berth-test")
			if !slices.Equal(rights(role.Rules), rights(want.Rules)) || role.Namespace != want.Namespace {
				t.Errorf("in %s: %v, want %v in %s", role.Namespace, role.Rules, want.Rules, want.Namespace)
			}
		}
	}
}

// The program takes these arguments; that it finds nothing wrong takes an installation.
func TestDoctorOfHelmTestIsAsked(t *testing.T) {
	got := doctorArguments(render(t, everything))
	for _, want := range []string{"doctor", "--only=extender,webhook", "--accelerator=A100",
		"--trial-namespace=ml", "--extender=https://berth-extender.berth-system.svc:443"} {
		if !slices.Contains(got, want) {
			t.Errorf("%v has no %s", got, want)
		}
	}
	without := doctorArguments(render(t, "admission: {enabled: false}"))
	if !slices.Contains(without, "--only=extender") {
		t.Errorf("without a webhook: %v", without)
	}
	berth(t, "", append(without, "--rbac")...)
	for _, values := range []string{`admission: {defaultMode: off}`,
		`{admission: {excludedNamespaces: [ml]}, tests: {namespace: ml}}`,
		`tests: {namespace: kube-system}`, `tests: {namespace: berth-system}`} {
		if got := doctorArguments(render(t, values)); !slices.Contains(got, "--only=extender") {
			t.Errorf("%s: the webhook is not called there, and is tried: %v", values, got)
		}
	}
	if got := doctorArguments(render(t, `{admission: {defaultMode: off}, tests: {namespace: ml}}`)); !slices.Contains(got, "--only=extender,webhook") {
		t.Errorf("a namespace that asks for the webhook: %v", got)
	}
}

func doctorArguments(r *release) []string {
	return slices.Clone(named[*corev1.Pod](r, prefixOf(r)+"test").Spec.Containers[0].Args)
}

// Nobody holds more than the test does while it runs, and nothing of it stays.
func TestRightsOfHelmTestEndWithIt(t *testing.T) {
	forEach(t, func(t *testing.T, r *release) {
		for _, o := range r.objects {
			isTest := o.GetLabels()["app.kubernetes.io/component"] == "test"
			isHook := o.GetAnnotations()["helm.sh/hook"] == "test"
			if isTest != isHook {
				t.Errorf("%T %s is a hook: %v", o, o.GetName(), isHook)
			}
			policy := o.GetAnnotations()["helm.sh/hook-delete-policy"]
			_, isPod := o.(*corev1.Pod) // whose log tells why it failed
			if isHook && (!strings.Contains(policy, "hook-succeeded") ||
				strings.Contains(policy, "hook-failed") == isPod) {
				t.Errorf("%T %s is deleted by %q", o, o.GetName(), policy)
			}
		}
	})
}
