//go:build cluster

package node

import (
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"berth.dev/berth/tests/e2e/fleet"
)

// Where retries are for the infrastructure's failures, and limits may be left out.
func TestRetriesAreForTheInfrastructure(t *testing.T) {
	w := enter(t)
	w.giveDevices()
	w.setPolicies("guaranteedQos.missingLimits=AllowRetryless", "jobRetries.disruptionRetries=0",
		"jobRetries.infrastructureRetries=1")
	defer w.restorePolicies()
	inner := w.team("retried", "enforce")

	inner.start("greedy", trainer(nil, "eat", "256"), nil)
	bound := trainer(nil, "count", "1")
	bound.Spec.NodeName = Name // so nobody counts devices but kubelet
	bound.Spec.Containers[0].Resources.Limits[fleet.ResourceGPU] = resource.MustParse("100")
	inner.start("rejected", bound, nil)

	// Out of memory is nothing that the infrastructure has done.
	for _, pod := range inner.awaitFailure("greedy", 1) {
		expectOutOfMemory(t, &pod)
	}
	for _, pod := range inner.awaitFailure("rejected", 2) {
		if !strings.HasPrefix(pod.Status.Reason, "OutOf") || len(pod.Status.ContainerStatuses) > 0 {
			t.Errorf("%s has ended as %q, want OutOf...", pod.Name, pod.Status.Reason)
		}
	}
	limitless := filler(nil, "160")
	limitless.Spec.Containers[0].Resources.Limits = corev1.ResourceList{
		fleet.ResourceGPU: resource.MustParse("1")}
	inner.start("limitless", limitless, nil)
	// Without limits it would go on to the next node, and press that one.
	for _, pod := range inner.awaitFailure("limitless", 1) {
		if pod.Status.QOSClass != corev1.PodQOSBestEffort {
			t.Errorf("is %s, want to be left as it was", pod.Status.QOSClass)
		}
		expectEvicted(t, &pod, true)
	}
}

// setPolicies has the webhook's policies behave otherwise than by default.
func (w *world) setPolicies(settings ...string) {
	w.Helper()
	upgrade := []string{"upgrade", "berth", ours.chart, "--reuse-values", "--wait"}
	for _, setting := range settings {
		upgrade = append(upgrade, "--set", "config.admission.policies."+setting)
	}
	_, err := shared.Helm(w.Context(), upgrade...)
	w.Check("upgrade", err)
	w.renewAdmission()
}

// restorePolicies takes back the latest setPolicies.
func (w *world) restorePolicies() {
	w.Helper()
	_, err := shared.Helm(w.Context(), "rollback", "berth", "--wait")
	w.Check("roll back", err)
	w.renewAdmission()
}

// renewAdmission returns when nobody answers any more who has the former configuration: those that
// run hear of another when kubelet gets round to it, new ones have it from the start.
func (w *world) renewAdmission() {
	w.Helper()
	admission := []string{"deployment/berth-admission", "--namespace", namespace}
	w.Check("restart the webhook", kubectl(w.Context(),
		slices.Concat([]string{"rollout", "restart"}, admission)...))
	w.Check("await the webhook", kubectl(w.Context(),
		slices.Concat([]string{"rollout", "status", "--timeout=2m"}, admission)...))
	w.Await("former webhooks to end", func() bool {
		return len(w.pods(namespace, releaseSelector+",app.kubernetes.io/component=admission")) == 2
	})
}
