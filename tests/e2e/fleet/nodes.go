package fleet

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"strconv"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
)

const (
	// What kubelet and system keep of every machine.
	reservedCores     = 1
	reservedMemoryGiB = 4

	maxPods       = 110
	createWorkers = 16
)

// Nodes makes the nodes of the pools, all healthy at now.
func Nodes(pools []Pool, now time.Time) []*corev1.Node {
	return slices.Collect(EachNode(pools, now))
}

// EachNode makes the nodes of the pools one after the other, all healthy at now.
func EachNode(pools []Pool, now time.Time) iter.Seq[*corev1.Node] {
	return func(yield func(*corev1.Node) bool) {
		for _, pool := range pools {
			for index := range pool.Nodes {
				if !yield(pool.node(index, now)) {
					return
				}
			}
		}
	}
}

// CreateNodes creates the nodes of the pools in the cluster.
func CreateNodes(ctx context.Context, client kubernetes.Interface, pools []Pool) error {
	return parallel(Nodes(pools, time.Now()), func(node *corev1.Node) error {
		_, err := client.CoreV1().Nodes().Create(ctx, node, metav1.CreateOptions{})
		return err
	})
}

func (p Pool) node(index int, now time.Time) *corev1.Node {
	name := p.NodeName(index)
	return &corev1.Node{
		ObjectMeta: metav1.ObjectMeta{Name: name, Labels: p.labels(index)},
		Status: corev1.NodeStatus{
			Phase:       corev1.NodeRunning,
			Capacity:    p.resources(0, 0),
			Allocatable: p.resources(reservedCores, reservedMemoryGiB),
			Conditions:  healthy(now),
			Addresses:   []corev1.NodeAddress{{Type: corev1.NodeHostName, Address: name}},
			NodeInfo: corev1.NodeSystemInfo{
				Architecture: "amd64", OperatingSystem: "linux", KubeletVersion: "v1.36.3",
			},
		},
	}
}

func (p Pool) resources(lessCores, lessMemoryGiB int64) corev1.ResourceList {
	memory := (p.MemoryGiB - lessMemoryGiB) << 30
	list := corev1.ResourceList{
		corev1.ResourceCPU:    *resource.NewQuantity(p.Cores-lessCores, resource.DecimalSI),
		corev1.ResourceMemory: *resource.NewQuantity(memory, resource.BinarySI),
		corev1.ResourcePods:   *resource.NewQuantity(maxPods, resource.DecimalSI),
	}
	if p.Resource != "" {
		list[corev1.ResourceName(p.Resource)] = *resource.NewQuantity(p.Devices, resource.DecimalSI)
	}
	return list
}

func (p Pool) labels(index int) map[string]string {
	labels := map[string]string{
		corev1.LabelHostname:   p.NodeName(index),
		corev1.LabelArchStable: "amd64",
		corev1.LabelOSStable:   "linux",
		LabelPool:              p.Name,
	}
	if p.RackNodes > 0 {
		labels[LabelRack] = fmt.Sprintf("%s-rack-%d", p.Name, index/p.RackNodes)
	}
	if gpu := p.gpu(index); gpu != nil {
		for key, value := range gpu.labels(p.Devices) {
			labels[key] = value
		}
	}
	if p.Labelled && p.Accelerator != "" {
		p.labelByBerth(labels)
	}
	return labels
}

// labelByBerth adds the labels that `berth controller` writes; see docs/controller.md.
func (p Pool) labelByBerth(labels map[string]string) {
	labels[LabelAccelerator] = p.Accelerator
	if mib, err := strconv.Atoi(labels[labelMemory]); err == nil {
		labels[LabelMemory] = strconv.Itoa(int(float64(mib) / memoryTolerance / 1024))
	}
}

// labels are those that GPU feature discovery sets (k8s-device-plugin, docs/gpu-feature-discovery).
func (g GPU) labels(count int64) map[string]string {
	return map[string]string{
		"nvidia.com/gpu.count":            strconv.FormatInt(count, 10),
		"nvidia.com/gpu.product":          g.Product,
		"nvidia.com/gpu.memory":           strconv.Itoa(g.MemoryMiB),
		"nvidia.com/gpu.family":           g.Family,
		"nvidia.com/gpu.compute.major":    strconv.Itoa(g.Major),
		"nvidia.com/gpu.compute.minor":    strconv.Itoa(g.Minor),
		"nvidia.com/gpu.present":          "true",
		"nvidia.com/gpu.replicas":         "1",
		"nvidia.com/gpu.sharing-strategy": "none",
		"nvidia.com/mig.strategy":         "none",
		"nvidia.com/mig.capable":          strconv.FormatBool(g.Major >= 8),
		"nvidia.com/mps.capable":          "false",
		"nvidia.com/cuda.driver.major":    "570",
		"nvidia.com/cuda.driver.minor":    "86",
		"nvidia.com/cuda.driver.rev":      "15",
		"nvidia.com/cuda.runtime.major":   "12",
		"nvidia.com/cuda.runtime.minor":   "8",
	}
}

// parallel calls do for every item from a few goroutines and returns the first error.
func parallel[T any](items []T, do func(T) error) error {
	queue := make(chan T)
	results := make(chan error, len(items))
	for range createWorkers {
		go func() {
			for item := range queue {
				results <- do(item)
			}
		}()
	}
	for _, item := range items {
		queue <- item
	}
	close(queue)
	for range items {
		if err := <-results; err != nil {
			return fmt.Errorf("1 of %d: %w", len(items), err)
		}
	}
	return nil
}
