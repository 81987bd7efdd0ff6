package fleet

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"sigs.k8s.io/yaml"
)

const (
	AnnotationAccelerators = "berth.dev/accelerators"
	AnnotationMemory       = "berth.dev/accelerator-memory"
	// LabelAsks on a pod tells in a word what it asks for.
	LabelAsks = "e2e.berth.dev/asks"
)

// Ask is what a pod wants of accelerators.
type Ask struct {
	Name         string   // for people: "v100-by-annotation"
	Accelerators []string // names of the catalogue, best first; none: no annotation
	Memory       string   // minimum of one device; empty: no annotation
	Product      string   // nvidia.com/gpu.product to select; empty: none
	Resource     string
	Devices      int64
	Cores        int64 // for one device
	MemoryGiB    int64 // for one device
}

// Pod makes a Guaranteed pod that asks so.
func (a Ask) Pod(name string) *corev1.Pod {
	pod := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{
			Name: name, Namespace: metav1.NamespaceDefault,
			Labels:      map[string]string{LabelAsks: a.Name},
			Annotations: map[string]string{},
		},
		Spec: corev1.PodSpec{
			RestartPolicy:                 corev1.RestartPolicyNever,
			TerminationGracePeriodSeconds: new(int64),
			Containers: []corev1.Container{{
				Name: "train", Image: "registry.example/train:1", Resources: a.requirements(),
			}},
		},
	}
	if len(a.Accelerators) > 0 {
		pod.Annotations[AnnotationAccelerators] = strings.Join(a.Accelerators, ",")
	}
	if a.Memory != "" {
		pod.Annotations[AnnotationMemory] = a.Memory
	}
	if a.Product != "" {
		pod.Spec.NodeSelector = map[string]string{LabelProduct: a.Product}
	}
	return pod
}

func (a Ask) requirements() corev1.ResourceRequirements {
	memory := a.MemoryGiB * a.Devices << 30
	list := corev1.ResourceList{
		corev1.ResourceCPU:              *resource.NewQuantity(a.Cores*a.Devices, resource.DecimalSI),
		corev1.ResourceMemory:           *resource.NewQuantity(memory, resource.BinarySI),
		corev1.ResourceName(a.Resource): *resource.NewQuantity(a.Devices, resource.DecimalSI),
	}
	return corev1.ResourceRequirements{Requests: list, Limits: list}
}

// CreatePods creates pods, several at a time and hence in no order.
func CreatePods(ctx context.Context, client kubernetes.Interface, pods []*corev1.Pod) error {
	return parallel(pods, func(pod *corev1.Pod) error {
		_, err := client.CoreV1().Pods(pod.Namespace).Create(ctx, pod, metav1.CreateOptions{})
		return err
	})
}

// Manifest is the pod as YAML, as a user would write it.
func Manifest(pod *corev1.Pod) ([]byte, error) {
	typed := *pod
	typed.TypeMeta = metav1.TypeMeta{APIVersion: "v1", Kind: "Pod"}
	return yaml.Marshal(typed)
}

// kind is a kind of pod in the workload, with how often it comes (of 100) and the number of devices
// of a whole node.
type kind struct {
	share     int
	wholeNode int64
	ask       Ask
}

var kinds = []kind{
	{28, 8, Ask{Name: "v100-by-annotation", Accelerators: []string{"V100"}, Resource: ResourceGPU,
		Cores: 4, MemoryGiB: 40}},
	{8, 8, Ask{Name: "v100-32gib", Accelerators: []string{"V100"}, Memory: "32Gi",
		Resource: ResourceGPU, Cores: 4, MemoryGiB: 40}},
	{14, 8, Ask{Name: "v100-by-selector", Product: v100x16.Product, Resource: ResourceGPU,
		Cores: 4, MemoryGiB: 40}},
	{8, 4, Ask{Name: "a100-by-annotation", Accelerators: []string{"A100"}, Resource: ResourceGPU,
		Cores: 16, MemoryGiB: 200}},
	{16, 6, Ask{Name: "a30-by-annotation", Accelerators: []string{"A30"}, Resource: ResourceGPU,
		Cores: 12, MemoryGiB: 80}},
	{6, 4, Ask{Name: "a100-else-v100", Accelerators: []string{"A100", "V100"},
		Resource: ResourceGPU, Cores: 4, MemoryGiB: 40}},
	{6, 4, Ask{Name: "any-gpu", Resource: ResourceGPU, Cores: 4, MemoryGiB: 40}},
	{14, 4, Ask{Name: "mn-core", Resource: ResourceMNCore, Cores: 7, MemoryGiB: 80}},
}

// Workload makes count pods; the same seed makes the same pods. One in ten takes a whole node.
func Workload(seed uint64, count int) []*corev1.Pod {
	random := rand.New(rand.NewPCG(seed, 0))
	pods := make([]*corev1.Pod, count)
	for i := range pods {
		ask := draw(random, kinds)
		pods[i] = ask.Pod(fmt.Sprintf("%s-%03d", ask.Name, i))
	}
	return pods
}

func draw(random *rand.Rand, from []kind) Ask {
	ticket := random.IntN(100)
	for _, k := range from {
		if ticket -= k.share; ticket < 0 {
			return k.sized(random)
		}
	}
	panic("the shares of the kinds do not add up to 100")
}

func (k kind) sized(random *rand.Rand) Ask {
	ask := k.ask
	switch size := random.IntN(10); {
	case size == 0:
		ask.Devices = k.wholeNode
	case size < 3:
		ask.Devices = min(4, k.wholeNode)
	case size < 5:
		ask.Devices = 2
	default:
		ask.Devices = 1
	}
	return ask
}
