package fleet

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
)

// Labels that `berth controller` writes, and by which admission has pods find their nodes.
const (
	LabelAccelerator = "berth.dev/accelerator"
	LabelMemory      = "berth.dev/accelerator-memory" // whole GiB of one device
)

// labelMemory is GPU feature discovery's: MiB of one device.
const labelMemory = "nvidia.com/gpu.memory"

// memoryTolerance: drivers report up to 7 % less memory than a model's name promises.
const memoryTolerance = 0.93

// mixed is a workload in which every model is wanted about as much as there is of it; one pod in
// five takes any GPU, or any with enough memory. Cores and memory are the model's share of a node.
var mixed = []kind{
	{34, 8, Ask{Name: "v100", Accelerators: []string{"V100"}, Resource: ResourceGPU,
		Cores: 4, MemoryGiB: 40}},
	{8, 8, Ask{Name: "v100-32gib", Accelerators: []string{"V100"}, Memory: "32Gi",
		Resource: ResourceGPU, Cores: 4, MemoryGiB: 40}},
	{12, 6, Ask{Name: "a30", Accelerators: []string{"A30"}, Resource: ResourceGPU,
		Cores: 12, MemoryGiB: 80}},
	{9, 4, Ask{Name: "a100", Accelerators: []string{"A100"}, Resource: ResourceGPU,
		Cores: 16, MemoryGiB: 200}},
	{2, 4, Ask{Name: "a100-80gib", Accelerators: []string{"A100"}, Memory: "80Gi",
		Resource: ResourceGPU, Cores: 16, MemoryGiB: 200}},
	{4, 4, Ask{Name: "a100-else-v100", Accelerators: []string{"A100", "V100"},
		Resource: ResourceGPU, Cores: 4, MemoryGiB: 40}},
	{14, 4, Ask{Name: "any-gpu", Resource: ResourceGPU, Cores: 4, MemoryGiB: 40}},
	{4, 4, Ask{Name: "any-24gib", Memory: "24Gi", Resource: ResourceGPU, Cores: 4, MemoryGiB: 40}},
	{13, 4, Ask{Name: "mn-core", Resource: ResourceMNCore, Cores: 7, MemoryGiB: 80}},
}

// Mix makes count pods of mixed sizes and models; the same seed makes the same pods. What a pod's
// annotations say its node affinity says too, so kube-scheduler alone has to respect it as well.
func Mix(seed uint64, count int) []*corev1.Pod {
	random := rand.New(rand.NewPCG(seed, 2))
	pods := make([]*corev1.Pod, count)
	for i := range pods {
		ask := draw(random, mixed)
		pods[i] = ask.Pod(fmt.Sprintf("%s-%d-%04d", ask.Name, ask.Devices, i))
		ask.bindByLabels(pods[i])
	}
	return pods
}

// Singles makes count pods of one device each that name their models by annotations alone, as a
// user of Berth writes them; the same seed makes the same pods.
func Singles(seed uint64, count int) []*corev1.Pod {
	random := rand.New(rand.NewPCG(seed, 7))
	pods := make([]*corev1.Pod, count)
	for i := range pods {
		ask := draw(random, mixed)
		ask.Devices = 1
		pods[i] = ask.Pod(fmt.Sprintf("%s-%04d", ask.Name, i))
	}
	return pods
}

// bindByLabels adds the node affinity that a careful user writes where nothing reads annotations.
func (a Ask) bindByLabels(pod *corev1.Pod) {
	var wanted []corev1.NodeSelectorRequirement
	if products := productsOf(a.Accelerators); len(products) > 0 {
		wanted = append(wanted, corev1.NodeSelectorRequirement{
			Key: LabelProduct, Operator: corev1.NodeSelectorOpIn, Values: products})
	}
	if a.Memory != "" {
		wanted = append(wanted, corev1.NodeSelectorRequirement{
			Key: labelMemory, Operator: corev1.NodeSelectorOpGt, Values: []string{justBelow(a.Memory)}})
	}
	require(pod, wanted)
}

// Admit gives a pod the node affinity that Berth's webhook makes of its annotations, in place of
// its own; see docs/admission.md.
func Admit(pod *corev1.Pod) {
	pod.Spec.Affinity = nil
	var wanted []corev1.NodeSelectorRequirement
	if models := pod.Annotations[AnnotationAccelerators]; models != "" {
		wanted = append(wanted, corev1.NodeSelectorRequirement{Key: LabelAccelerator,
			Operator: corev1.NodeSelectorOpIn, Values: strings.Split(models, ",")})
	}
	if memory := pod.Annotations[AnnotationMemory]; memory != "" {
		quantity := resource.MustParse(memory)
		below := strconv.FormatInt(quantity.Value()>>30-1, 10)
		wanted = append(wanted, corev1.NodeSelectorRequirement{Key: LabelMemory,
			Operator: corev1.NodeSelectorOpGt, Values: []string{below}})
	}
	require(pod, wanted)
}

// require has a pod accept only nodes that meet all requirements; none: any node.
func require(pod *corev1.Pod, wanted []corev1.NodeSelectorRequirement) {
	if len(wanted) == 0 {
		return
	}
	term := corev1.NodeSelectorTerm{MatchExpressions: wanted}
	pod.Spec.Affinity = &corev1.Affinity{NodeAffinity: &corev1.NodeAffinity{
		RequiredDuringSchedulingIgnoredDuringExecution: &corev1.NodeSelector{
			NodeSelectorTerms: []corev1.NodeSelectorTerm{term}},
	}}
}

// productsOf are the labels of the reference cluster's nodes with one of the accelerators.
func productsOf(accelerators []string) []string {
	var products []string
	for _, pool := range Reference() {
		for _, gpu := range pool.GPUs {
			named := slices.Contains(accelerators, pool.Accelerator)
			if named && !slices.Contains(products, gpu.Product) {
				products = append(products, gpu.Product)
			}
		}
	}
	return products
}

// justBelow is the greatest whole number of MiB that is too little for the minimum.
func justBelow(minimum string) string {
	quantity := resource.MustParse(minimum)
	enough := memoryTolerance * quantity.AsApproximateFloat64() / (1 << 20)
	return strconv.Itoa(int(math.Ceil(enough)) - 1)
}
