package chart

import (
	"slices"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
)

func TestNoBoardUnlessAskedFor(t *testing.T) {
	r := render(t, "networkPolicy: {enabled: true}")
	for _, o := range r.objects {
		if o.GetLabels()["app.kubernetes.io/component"] == "board" {
			t.Errorf("%T %s is there", o, o.GetName())
		}
	}
}

// Whoever reaches the pod over the network would read without asking kube-apiserver.
func TestTheBoardIsReachedByForwardingAlone(t *testing.T) {
	r := render(t, "{board: {enabled: true}, networkPolicy: {enabled: true}}")
	deployment := named[*appsv1.Deployment](r, "berth-board")
	for _, service := range all[*corev1.Service](r) {
		if slices.Contains(matching(r, service.Spec.Selector), deployment) {
			t.Errorf("Service %s leads to the board", service.Name)
		}
	}
	if ingress := named[*networkingv1.NetworkPolicy](r, "berth-board").Spec.Ingress; len(ingress) > 0 {
		t.Errorf("the policy lets in %v", ingress)
	}
	container := deployment.Spec.Template.Spec.Containers[0]
	for _, probe := range []*corev1.Probe{container.LivenessProbe, container.ReadinessProbe} {
		if probe.HTTPGet.Port.StrVal != "probes" {
			t.Errorf("kubelet asks port %s", probe.HTTPGet.Port.String())
		}
	}
}

// The board reads its configuration once.
func TestTheBoardIsReplacedWhenItsConfigurationChanges(t *testing.T) {
	checksum := func(values string) string {
		r := render(t, "board: {enabled: true}\n"+values)
		return named[*appsv1.Deployment](r, "berth-board").Spec.Template.Annotations["checksum/config"]
	}
	with := checksum("config: {planner: {topology: [{label: topology.kubernetes.io/rack}]}}")
	if without := checksum(""); without == "" || with == without {
		t.Errorf("checksums %q and %q", without, with)
	}
}
