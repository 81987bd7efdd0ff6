package gangs

import (
	"context"
	"fmt"
	"slices"
	"testing"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
)

const (
	controllerUser = "berth-controller" // the box's
	writeStatus    = "status"           // nominations
	writePod       = ""                 // gates
)

// hold has kube-apiserver refuse what the controller writes of one pod until the function that it
// returns is called: so a gang stays for a while in a state through which it passes in no time.
func (w *world) hold(pod, subresource string) (release func()) {
	w.Helper()
	resource := "pods"
	if subresource != "" {
		resource += "/" + subresource
	}
	return w.refuse(pod, resource, admissionv1.Update, "false", w.probe(pod, subresource))
}

// holdEviction does the same with the eviction of one pod. That it may be evicted is said as before.
func (w *world) holdEviction(pod string) (release func()) {
	w.Helper()
	client := w.asController()
	isHeld := func() bool {
		err := client.CoreV1().Pods(namespace).EvictV1(w.Context(), &policyv1.Eviction{
			ObjectMeta: metav1.ObjectMeta{Name: pod, Namespace: namespace,
				Annotations: map[string]string{"e2e.berth.dev/probe": "x"}},
			DeleteOptions: &metav1.DeleteOptions{DryRun: []string{metav1.DryRunAll}}})
		return apierrors.IsForbidden(err)
	}
	return w.refuse(pod, "pods/eviction", admissionv1.Create,
		"has(object.deleteOptions) && has(object.deleteOptions.dryRun) && !has(object.metadata.annotations)",
		isHeld)
}

// refuse has kube-apiserver refuse a write of one pod to the controller, unless the expression says
// otherwise, and waits until isRefused says that it does.
func (w *world) refuse(
	pod, resource string, operation admissionv1.OperationType, unless string, isRefused func() bool,
) (release func()) {
	w.Helper()
	policies := shared.Client.AdmissionregistrationV1()
	_, err := policies.ValidatingAdmissionPolicies().Create(w.Context(),
		holdingPolicy(pod, resource, operation, unless), metav1.CreateOptions{})
	w.Check("create the policy", err)
	_, err = policies.ValidatingAdmissionPolicyBindings().Create(w.Context(),
		&admissionv1.ValidatingAdmissionPolicyBinding{ObjectMeta: metav1.ObjectMeta{Name: pod},
			Spec: admissionv1.ValidatingAdmissionPolicyBindingSpec{PolicyName: pod,
				ValidationActions: []admissionv1.ValidationAction{admissionv1.Deny}}},
		metav1.CreateOptions{})
	w.Check("bind the policy", err)
	w.Await("kube-apiserver to refuse writes of "+pod, isRefused)
	release = func() {
		ctx := context.WithoutCancel(w.Context())
		_ = policies.ValidatingAdmissionPolicyBindings().Delete(ctx, pod, metav1.DeleteOptions{})
		_ = policies.ValidatingAdmissionPolicies().Delete(ctx, pod, metav1.DeleteOptions{})
	}
	w.Cleanup(release) // again, at the end of a test that has failed before
	return release
}

func holdingPolicy(
	pod, resource string, operation admissionv1.OperationType, unless string,
) *admissionv1.ValidatingAdmissionPolicy {
	writes := admissionv1.RuleWithOperations{
		Operations: []admissionv1.OperationType{operation},
		Rule: admissionv1.Rule{APIGroups: []string{""}, APIVersions: []string{"v1"},
			Resources: []string{resource}}}
	return &admissionv1.ValidatingAdmissionPolicy{ObjectMeta: metav1.ObjectMeta{Name: pod},
		Spec: admissionv1.ValidatingAdmissionPolicySpec{
			MatchConstraints: &admissionv1.MatchResources{
				ResourceRules: []admissionv1.NamedRuleWithOperations{{RuleWithOperations: writes}}},
			Validations: []admissionv1.Validation{{
				Expression: fmt.Sprintf("request.userInfo.username != %q || object.metadata.name != %q || (%s)",
					controllerUser, pod, unless),
				Message: "this is held by a test", Reason: new(metav1.StatusReasonForbidden)}},
		}}
}

// asController returns a client that may do what the controller may.
func (w *world) asController() kubernetes.Interface {
	w.Helper()
	config := rest.CopyConfig(shared.Config)
	config.Impersonate = rest.ImpersonationConfig{UserName: controllerUser}
	client, err := kubernetes.NewForConfig(config)
	w.Check("a client of the controller's user", err)
	return client
}

// probe returns a function that tells whether the controller may not write that of the pod.
func (w *world) probe(pod, subresource string) func() bool {
	w.Helper()
	client := w.asController()
	var path []string
	if subresource != "" {
		path = append(path, subresource)
	}
	return func() bool {
		_, err := client.CoreV1().Pods(namespace).Patch(w.Context(), pod, types.MergePatchType,
			[]byte(`{"metadata":{"annotations":{"e2e.berth.dev/probe":"x"}}}`),
			metav1.PatchOptions{DryRun: []string{metav1.DryRunAll}}, path...)
		return apierrors.IsForbidden(err)
	}
}

const (
	heldGang = "held"
	heldPods = 8
	lastPod  = "held-7"
)

// reserve makes a gang of eight whole nodes that is planned and not released, because the nomination
// of its last pod is held, and returns the others.
func (w *world) reserve() (nominated []corev1.Pod, release func()) {
	w.Helper()
	w.away(controller.Process)
	w.create(members(heldGang, heldPods, devices)...)
	release = w.hold(lastPod, writeStatus)
	w.back(controller.Process)
	return w.some(heldGang, heldPods-1, heldPods, "are nominated and gated",
		func(pod corev1.Pod) bool { return isNominated(pod) && isGated(pod) }), release
}

// free makes the same gang, of which one pod alone still has its gate, because it is held.
func (w *world) free() (released []corev1.Pod, release func()) {
	w.Helper()
	w.away(controller.Process)
	w.create(members(heldGang, heldPods, devices)...)
	release = w.hold(lastPod, writePod)
	w.back(controller.Process)
	return w.some(heldGang, heldPods-1, heldPods, "are released", isReleased), release
}

// Else the tests with held gangs would prove nothing.
func TestAGangIsHeldBackByOnePod(t *testing.T) {
	w := fresh(t)
	nominated, release := w.reserve()
	if slices.ContainsFunc(nominated, func(pod corev1.Pod) bool { return pod.Name == lastPod }) {
		t.Errorf("%s is nominated", lastPod)
	}
	release()
	w.expectOn(promises(nominated), w.all(heldGang, heldPods, "run", isRunning))
}
