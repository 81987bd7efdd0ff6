package fleet

import (
	"reflect"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"
)

func TestReferenceClusterHasTheSizeThatWeClaim(t *testing.T) {
	devices, nodes := map[corev1.ResourceName]int64{}, Nodes(Reference(), time.Now())
	for _, node := range nodes {
		for _, name := range []corev1.ResourceName{ResourceGPU, ResourceMNCore} {
			devices[name] += node.Status.Allocatable.Name(name, "").Value()
		}
	}
	want := map[corev1.ResourceName]int64{ResourceGPU: 1444, ResourceMNCore: 192}
	if len(nodes) != 280 || !reflect.DeepEqual(devices, want) {
		t.Errorf("%d nodes with %v, want 280 with %v", len(nodes), devices, want)
	}
}

func TestScaledClusterKeepsItsProportions(t *testing.T) {
	if got := Scaled(280); !reflect.DeepEqual(got, Reference()) {
		t.Errorf("280 nodes are %+v, want the reference cluster", got)
	}
	nodes := map[string]int{}
	for _, pool := range Scaled(1000) {
		nodes[pool.Name] = pool.Nodes
	}
	want := map[string]int{"mn2a": 458, "mn3": 171, "mn2b-a100": 150, "mn2b-a30": 150, "cpu": 71}
	if !reflect.DeepEqual(nodes, want) {
		t.Errorf("1,000 nodes are %v, want %v", nodes, want)
	}
}

func TestNodesAreReadyAndWell(t *testing.T) {
	for _, node := range Nodes(Small(2), time.Now()) {
		for _, condition := range node.Status.Conditions {
			want := corev1.ConditionFalse
			if condition.Type == corev1.NodeReady {
				want = corev1.ConditionTrue
			}
			if condition.Status != want {
				t.Errorf("%s: %s is %s", node.Name, condition.Type, condition.Status)
			}
		}
	}
}

func TestKubeletsShareIsNotAllocatable(t *testing.T) {
	node := Nodes(Small(1), time.Now())[0]
	for name, want := range map[corev1.ResourceName]string{"cpu": "35", "memory": "380Gi"} {
		if got := node.Status.Allocatable[name]; got.String() != want {
			t.Errorf("%s: allocatable %s is %s, want %s", node.Name, name, got.String(), want)
		}
	}
}

func TestPoolsMixTheirModels(t *testing.T) {
	count := map[string]int{}
	for _, node := range Nodes(Reference(), time.Now()) {
		count[node.Labels[LabelProduct]]++
	}
	want := map[string]int{v100x16.Product: 64, v100x32.Product: 64, a100x40.Product: 28,
		a100x80.Product: 14, a30.Product: 42, "": 68}
	if !reflect.DeepEqual(count, want) {
		t.Errorf("nodes by model %v, want %v", count, want)
	}
}

func TestWorkloadIsDecidedByItsSeed(t *testing.T) {
	one, same, other := Workload(7, 50), Workload(7, 50), Workload(8, 50)
	if !reflect.DeepEqual(one, same) {
		t.Error("the same seed made other pods")
	}
	if reflect.DeepEqual(one, other) {
		t.Error("another seed made the same pods")
	}
}

func TestSharesOfKindsAddUp(t *testing.T) {
	for i, from := range [][]kind{kinds, mixed} {
		total := 0
		for _, k := range from {
			total += k.share
		}
		if total != 100 {
			t.Errorf("shares of list %d add up to %d, want 100", i, total)
		}
	}
}

// A pod that no node can ever take would make every count of pending pods meaningless.
func TestEveryPodFitsANodeBesideTheNodeAgent(t *testing.T) {
	nodes := Nodes(Reference(), time.Now())
	for _, pod := range append(Workload(1, 500), Mix(1, 500)...) {
		fits := false
		for _, node := range nodes {
			fits = fits || (affine(t, pod, node) && roomFor(pod, node))
		}
		if !fits {
			t.Errorf("%s fits no node: %v", pod.Name, pod.Spec.Containers[0].Resources.Requests)
		}
	}
}

func roomFor(pod *corev1.Pod, node *corev1.Node) bool {
	if !labels.SelectorFromSet(pod.Spec.NodeSelector).Matches(labels.Set(node.Labels)) {
		return false
	}
	agent := nodeAgent().Spec.Template.Spec.Containers[0].Resources.Requests
	for name, want := range pod.Spec.Containers[0].Resources.Requests {
		have := node.Status.Allocatable[name]
		have.Sub(agent[name])
		if want.Cmp(have) > 0 {
			return false
		}
	}
	return true
}

func TestAskBecomesAnnotationsAndSelector(t *testing.T) {
	pod := Ask{Name: "x", Accelerators: []string{"A100", "V100"}, Memory: "40Gi", Product: "P",
		Resource: ResourceGPU, Devices: 2, Cores: 3, MemoryGiB: 5}.Pod("p")
	annotations := map[string]string{AnnotationAccelerators: "A100,V100", AnnotationMemory: "40Gi"}
	if !reflect.DeepEqual(pod.Annotations, annotations) {
		t.Errorf("annotations %v, want %v", pod.Annotations, annotations)
	}
	if pod.Spec.NodeSelector[LabelProduct] != "P" {
		t.Errorf("node selector %v", pod.Spec.NodeSelector)
	}
	resources := pod.Spec.Containers[0].Resources
	if !reflect.DeepEqual(resources.Requests, resources.Limits) {
		t.Errorf("not Guaranteed: %v", resources)
	}
	for name, want := range map[corev1.ResourceName]string{
		ResourceGPU: "2", "cpu": "6", "memory": "10Gi"} {
		if got := resources.Requests[name]; got.String() != want {
			t.Errorf("requests %s of %s, want %s", got.String(), name, want)
		}
	}
}
