package box

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
)

func labelled(pod *corev1.Pod) []PatchOperation {
	return []PatchOperation{{Op: "add", Path: "/metadata/labels",
		Value: map[string]string{"labelled": pod.Spec.Containers[0].Name}}}
}

func TestMutatorIsAskedWhileItIsRegistered(t *testing.T) {
	b, err := Start(t.Context(), Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer b.Stop()
	mutator, err := b.StartMutator("labels", labelled)
	if err != nil {
		t.Fatal(err)
	}
	defer mutator.Stop()
	registration := Registration{Name: "labels", Probe: metav1.NamespaceDefault}
	label := func() string {
		pod, err := b.Client.CoreV1().Pods(metav1.NamespaceDefault).Create(t.Context(), probePod(),
			metav1.CreateOptions{})
		if err != nil {
			t.Fatal(err)
		}
		return pod.Labels["labelled"]
	}
	for range 2 {
		if err := b.RegisterMutator(t.Context(), registration, mutator); err != nil {
			t.Fatal(err)
		}
		if got := label(); got != "probe" {
			t.Errorf("with the webhook the label is %q", got)
		}
		if err := b.Deregister(t.Context(), registration); err != nil {
			t.Fatal(err)
		}
		if got := label(); got != "" {
			t.Errorf("without the webhook the label is %q", got)
		}
	}
}

// Two webhooks for one namespace would do everything twice, none would leave it out.
func TestEveryNamespaceHasOneRouteAtMost(t *testing.T) {
	routes := Registration{Name: "berth"}.routes()
	for _, c := range []struct {
		labels map[string]string
		want   string
	}{
		{nil, "/warn"},
		{map[string]string{LabelAdmission: "warn"}, "/warn"},
		{map[string]string{LabelAdmission: "a typing error"}, "/warn"},
		{map[string]string{LabelAdmission: "enforce"}, "/enforce"},
		{map[string]string{LabelAdmission: "off"}, ""},
		{map[string]string{LabelAdmission: "off", LabelAllowAcceleratorNodes: "true"}, ""},
		{map[string]string{LabelAllowAcceleratorNodes: "true"}, "/warn/allow-accelerator-nodes"},
		{map[string]string{LabelAllowAcceleratorNodes: "false"}, "/warn"},
		{map[string]string{LabelAdmission: "enforce", LabelAllowAcceleratorNodes: "true"},
			"/enforce/allow-accelerator-nodes"},
		{map[string]string{corev1.LabelMetadataName: metav1.NamespaceSystem,
			LabelAdmission: "enforce"}, ""},
	} {
		got := ""
		for _, route := range routes {
			selector, err := metav1.LabelSelectorAsSelector(
				&metav1.LabelSelector{MatchExpressions: route.namespaces})
			if err != nil {
				t.Fatal(err)
			}
			if selector.Matches(labels.Set(c.labels)) {
				got += route.path
			}
		}
		if got != c.want {
			t.Errorf("a namespace labelled %v is routed to %q, want %q", c.labels, got, c.want)
		}
	}
}
