package main

import (
	"context"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// guaranteed and isolated are the static part of what Berth judges, as kube-apiserver can by itself.
const (
	guaranteed = `object.spec.containers.all(c, has(c.resources.limits) &&
  has(c.resources.requests) && ['cpu', 'memory'].all(r, r in c.resources.limits &&
    r in c.resources.requests &&
    quantity(c.resources.limits[r]).compareTo(quantity(c.resources.requests[r])) == 0))`
	isolated = `object.spec.containers.exists(c, has(c.resources.limits) &&
    c.resources.limits.exists(r, r.endsWith('/gpu'))) ||
  has(object.spec.affinity) && has(object.spec.affinity.nodeAffinity) &&
  has(object.spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution) &&
  object.spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution
    .nodeSelectorTerms.all(t, has(t.matchExpressions) && t.matchExpressions.exists(e,
      e.key == 'berth.dev/accelerator' && e.operator == 'DoesNotExist'))`
)

// judgeByPolicy has kube-apiserver judge the pods of a way's namespace by a
// ValidatingAdmissionPolicy instead of a second call.
func (b *bench) judgeByPolicy(ctx context.Context, namespace string) error {
	client := b.box.Client.AdmissionregistrationV1()
	_, err := client.ValidatingAdmissionPolicies().Create(ctx,
		&admissionv1.ValidatingAdmissionPolicy{
			ObjectMeta: metav1.ObjectMeta{Name: namespace},
			Spec: admissionv1.ValidatingAdmissionPolicySpec{
				FailurePolicy: new(admissionv1.Ignore),
				MatchConstraints: &admissionv1.MatchResources{
					ResourceRules: []admissionv1.NamedRuleWithOperations{{
						RuleWithOperations: admissionv1.RuleWithOperations{
							Operations: []admissionv1.OperationType{admissionv1.Create, admissionv1.Update},
							Rule: admissionv1.Rule{APIGroups: []string{corev1.GroupName},
								APIVersions: []string{"v1"}, Resources: []string{"pods"}}}}}},
				Validations: []admissionv1.Validation{
					{Expression: guaranteed, Message: "not Guaranteed"},
					{Expression: isolated, Message: "not isolated"},
				},
			},
		}, metav1.CreateOptions{})
	if err != nil {
		return err
	}
	_, err = client.ValidatingAdmissionPolicyBindings().Create(ctx,
		&admissionv1.ValidatingAdmissionPolicyBinding{
			ObjectMeta: metav1.ObjectMeta{Name: namespace},
			Spec: admissionv1.ValidatingAdmissionPolicyBindingSpec{
				PolicyName:        namespace,
				ValidationActions: []admissionv1.ValidationAction{admissionv1.Deny},
				MatchResources: &admissionv1.MatchResources{NamespaceSelector: &metav1.LabelSelector{
					MatchLabels: map[string]string{labelWay: namespace}}},
			},
		}, metav1.CreateOptions{})
	return err
}
