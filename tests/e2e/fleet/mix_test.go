package fleet

import (
	"reflect"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/selection"
)

func TestMixIsDecidedByItsSeed(t *testing.T) {
	one, same, other := Mix(7, 50), Mix(7, 50), Mix(8, 50)
	if !reflect.DeepEqual(one, same) {
		t.Error("the same seed made other pods")
	}
	if reflect.DeepEqual(one, other) {
		t.Error("another seed made the same pods")
	}
}

func TestAffinitySaysWhatTheAnnotationsSay(t *testing.T) {
	cases := []struct {
		accelerators []string
		memory       string
		want         map[string]bool // nvidia.com/gpu.product of the nodes that are allowed
	}{
		{nil, "", map[string]bool{v100x16.Product: true, v100x32.Product: true,
			a100x40.Product: true, a100x80.Product: true, a30.Product: true, "": true}},
		{[]string{"V100"}, "", map[string]bool{v100x16.Product: true, v100x32.Product: true}},
		{[]string{"V100"}, "32Gi", map[string]bool{v100x32.Product: true}},
		{[]string{"A100", "V100"}, "40Gi", map[string]bool{a100x40.Product: true, a100x80.Product: true}},
		{nil, "80Gi", map[string]bool{a100x80.Product: true}},
	}
	for _, c := range cases {
		ask := Ask{Accelerators: c.accelerators, Memory: c.memory, Resource: ResourceGPU, Devices: 1}
		pod := ask.Pod("p")
		ask.bindByLabels(pod)
		if got := allowedProducts(t, pod); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%v with %q: products %v, want %v", c.accelerators, c.memory, got, c.want)
		}
	}
}

func allowedProducts(t *testing.T, pod *corev1.Pod) map[string]bool {
	t.Helper()
	products := map[string]bool{}
	for _, node := range Nodes(Reference(), time.Time{}) {
		if affine(t, pod, node) {
			products[node.Labels[LabelProduct]] = true
		}
	}
	return products
}

// affine tells whether a node meets the required affinity of a pod that has one term at most.
func affine(t *testing.T, pod *corev1.Pod, node *corev1.Node) bool {
	t.Helper()
	if pod.Spec.Affinity == nil {
		return true
	}
	operators := map[corev1.NodeSelectorOperator]selection.Operator{
		corev1.NodeSelectorOpIn: selection.In, corev1.NodeSelectorOpGt: selection.GreaterThan,
	}
	required := pod.Spec.Affinity.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution
	for _, wanted := range required.NodeSelectorTerms[0].MatchExpressions {
		requirement, err := labels.NewRequirement(wanted.Key, operators[wanted.Operator], wanted.Values)
		if err != nil {
			t.Fatal(err)
		}
		if !requirement.Matches(labels.Set(node.Labels)) {
			return false
		}
	}
	return true
}

func TestSinglesTakeOneDeviceOfAnyNode(t *testing.T) {
	pods, models := Singles(7, 200), map[string]bool{}
	for i, pod := range pods {
		asked := pod.Spec.Containers[0].Resources.Limits
		gpus, cores := asked[ResourceGPU], asked[ResourceMNCore]
		if gpus.Value()+cores.Value() != 1 || pod.Spec.Affinity != nil || pod.Spec.NodeSelector != nil {
			t.Errorf("%s asks for %v, affinity %v", pod.Name, asked, pod.Spec.Affinity)
		}
		models[pod.Annotations[AnnotationAccelerators]] = true
		if !reflect.DeepEqual(pod, Singles(7, 200)[i]) {
			t.Fatal("the same seed made other pods")
		}
	}
	if len(models) < 5 {
		t.Errorf("%d models named, want all: %v", len(models), models)
	}
}

// As docs/admission.md and docs/controller.md have it.
func TestAdmittedPodsAndLabelledNodesSpeakOfTheSameLabels(t *testing.T) {
	pod := Ask{Accelerators: []string{"A100", "V100"}, Memory: "40.5Gi", Resource: ResourceGPU,
		Devices: 1}.Pod("a")
	Admit(pod)
	terms := pod.Spec.Affinity.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution
	want := []corev1.NodeSelectorRequirement{
		{Key: "berth.dev/accelerator", Operator: corev1.NodeSelectorOpIn, Values: []string{"A100", "V100"}},
		{Key: "berth.dev/accelerator-memory", Operator: corev1.NodeSelectorOpGt, Values: []string{"39"}},
	}
	if got := terms.NodeSelectorTerms[0].MatchExpressions; !reflect.DeepEqual(got, want) {
		t.Errorf("affinity %+v, want %+v", got, want)
	}
	any := Ask{Resource: ResourceGPU, Devices: 1}.Pod("b")
	if Admit(any); any.Spec.Affinity != nil {
		t.Errorf("who accepts all has affinity %+v", any.Spec.Affinity)
	}
	memory := map[string]string{}
	for _, pool := range Small(3) {
		pool.Labelled = true
		for index := range pool.Nodes {
			labels := pool.labels(index)
			if labels[LabelAccelerator] != pool.Accelerator {
				t.Errorf("%s is labelled %q", pool.NodeName(index), labels[LabelAccelerator])
			}
			memory[labels[LabelProduct]] = labels[LabelMemory]
		}
	}
	if memory[v100x16.Product] != "17" || memory[v100x32.Product] != "34" ||
		memory[a100x40.Product] != "41" || memory[""] != "" {
		t.Errorf("memory %v", memory)
	}
}
