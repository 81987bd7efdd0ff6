package chart

import (
	"cmp"
	"fmt"
	"strings"
	"testing"

	registration "k8s.io/api/admissionregistration/v1"
)

// What the policy refuses is tried on a real kube-apiserver, in tests/e2e/planner.
func TestThePodPolicyJudgesTheControllerAlone(t *testing.T) {
	for _, i := range []installation{
		{values: "controller: {podPolicy: true}"},
		{values: "controller: {podPolicy: true}", name: "ml", namespace: "kube-system"},
	} {
		r := i.render(t)
		policies := all[*registration.ValidatingAdmissionPolicy](r)
		bindings := all[*registration.ValidatingAdmissionPolicyBinding](r)
		if len(policies) != 1 || len(bindings) != 1 || bindings[0].Spec.PolicyName != policies[0].Name {
			t.Fatalf("%d policies, and %d bindings", len(policies), len(bindings))
		}
		pod := podsOf(r)[strings.TrimSuffix(policies[0].Name, "-pods")]
		want := fmt.Sprintf("request.userInfo.username == 'system:serviceaccount:%s:%s'",
			cmp.Or(i.namespace, "berth-system"), pod.Spec.ServiceAccountName)
		conditions := policies[0].Spec.MatchConditions
		if len(conditions) != 1 || conditions[0].Expression != want {
			t.Errorf("judges requests where %v, want %s", conditions, want)
		}
	}
}

func TestThePodPolicyIsOptional(t *testing.T) {
	if found := all[*registration.ValidatingAdmissionPolicy](render(t, "")); len(found) > 0 {
		t.Errorf("by default there are %d policies", len(found))
	}
}

// Only with a right to delete pods does the controller end them.
func TestThePodPolicyLetsPodsEndWhereTheControllerDoes(t *testing.T) {
	for values, want := range map[string]bool{
		"": false,
		"config: {controller: {lostNodes: {forceDeleteAfter: 15m}}}": true,
	} {
		r := render(t, "controller: {podPolicy: true}\n"+values)
		ends := false
		for _, validation := range all[*registration.ValidatingAdmissionPolicy](r)[0].Spec.Validations {
			ends = ends || strings.Contains(validation.Expression, "'Failed'")
		}
		if ends != want {
			t.Errorf("%q: pods may be ended: %v", values, ends)
		}
	}
}
