package contract

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// generator builds objects from a seed: the same seed gives the same corpus.
type generator struct {
	*rand.Rand
}

func newGenerator(seed uint64) generator {
	return generator{rand.New(rand.NewPCG(seed, seed))}
}

func pick[T any](g generator, options ...T) T {
	return options[g.IntN(len(options))]
}

func (g generator) chance(percent int) bool {
	return g.IntN(100) < percent
}

// quantity is one that the API server accepts: not negative.
func (g generator) quantity() resource.Quantity {
	texts := []string{
		"0", "1", "8", "96", "100m", "1500m", "0.5", "1.25", "250u", "1n", "2k", "3M", "4G", "1T",
		"1P", "7E", "128Ki", "512Mi", "40Gi", "1.5Gi", "2Ti", "1Pi", "7Ei", "8Ei", "1e3", "1E-3",
		"12e6", "9223372036854775807", "0.0000000001", "123456789.123456789", "+4", "007", "5.", ".5",
	}
	if g.chance(20) {
		return resource.MustParse(fmt.Sprint(g.Int64()))
	}
	return resource.MustParse(pick(g, texts...))
}

// resources is nil, empty or filled.
func (g generator) resources() corev1.ResourceList {
	if g.chance(25) {
		return nil
	}
	names := []corev1.ResourceName{
		"cpu", "memory", "ephemeral-storage", "hugepages-2Mi", "hugepages-1Gi", "pods",
		"nvidia.com/gpu", "preferred.jp/mncore", "rdma/hca", "example.com/empty",
	}
	list := corev1.ResourceList{}
	for range g.IntN(5) {
		list[pick(g, names...)] = g.quantity()
	}
	return list
}

func (g generator) strings() map[string]string {
	if g.chance(20) {
		return nil
	}
	values := []string{
		"", "true", "NVIDIA-A100-SXM4-40GB", "A100,V100", "日本語 🚢", "quote\" back\\slash", "line\nbreak\ttab",
		"\u2028\u0000\u001f<>&", strings.Repeat("x", 5000),
	}
	entries := map[string]string{}
	for range g.IntN(6) {
		key := pick(g, "accelerator", "nvidia.com/gpu.product", "berth.dev/accelerators", "ключ", "a", "Z")
		entries[key] = pick(g, values...)
	}
	return entries
}

func (g generator) time() metav1.Time {
	if g.chance(20) {
		return metav1.Time{}
	}
	zone := time.FixedZone("", pick(g, 0, 9*3600, -5*3600-1800))
	return metav1.NewTime(time.Unix(g.Int64N(253_402_300_799), 0).In(zone))
}

func (g generator) metadata(name string) metav1.ObjectMeta {
	created := g.time()
	return metav1.ObjectMeta{
		Name:              name,
		UID:               types.UID(fmt.Sprintf("uid-%d", g.Int64())),
		ResourceVersion:   fmt.Sprint(g.Int64()),
		Labels:            g.strings(),
		Annotations:       g.strings(),
		CreationTimestamp: created,
		OwnerReferences:   []metav1.OwnerReference{{Kind: "Job", Name: "owner"}},
		Finalizers:        []string{"example.com/finalizer"},
		ManagedFields: []metav1.ManagedFieldsEntry{{
			Manager: "kubelet", Time: &created, FieldsV1: &metav1.FieldsV1{Raw: []byte(`{"f:status":{}}`)},
		}},
	}
}

func (g generator) conditions() []corev1.NodeCondition {
	count := pick(g, 0, 1, 5, 12, 500)
	var conditions []corev1.NodeCondition
	for i := range count {
		conditions = append(conditions, corev1.NodeCondition{
			Type:               corev1.NodeConditionType(pick(g, "Ready", "GPUIsLost", fmt.Sprint("Condition", i))),
			Status:             pick(g, corev1.ConditionTrue, corev1.ConditionFalse, corev1.ConditionUnknown, "", "Maybe"),
			LastHeartbeatTime:  g.time(),
			LastTransitionTime: g.time(),
			Reason:             "Reason",
			Message:            "what happened",
		})
	}
	return conditions
}

func (g generator) taints() []corev1.Taint {
	var taints []corev1.Taint
	for range pick(g, 0, 0, 1, 3) {
		added := g.time()
		taints = append(taints, corev1.Taint{
			Key:       pick(g, "nvidia.com/gpu", "dedicated", ""),
			Value:     pick(g, "", "team-a", "日本"),
			Effect:    pick(g, corev1.TaintEffectNoSchedule, corev1.TaintEffectPreferNoSchedule, corev1.TaintEffectNoExecute, ""),
			TimeAdded: &added,
		})
	}
	return taints
}

func (g generator) tolerations() []corev1.Toleration {
	seconds := int64(300)
	var tolerations []corev1.Toleration
	for range pick(g, 0, 1, 2, 5) {
		tolerations = append(tolerations, corev1.Toleration{
			Key:               pick(g, "nvidia.com/gpu", "dedicated", ""),
			Operator:          pick(g, corev1.TolerationOpExists, corev1.TolerationOpEqual, corev1.TolerationOpLt, corev1.TolerationOpGt, ""),
			Value:             pick(g, "", "team-a", "7"),
			Effect:            pick(g, corev1.TaintEffectPreferNoSchedule, corev1.TaintEffectNoExecute, ""),
			TolerationSeconds: pick(g, nil, &seconds),
		})
	}
	return tolerations
}

func (g generator) node(index int) *corev1.Node {
	return &corev1.Node{
		ObjectMeta: g.metadata(fmt.Sprintf("node-%d", index)),
		Spec: corev1.NodeSpec{
			PodCIDR: "10.0.0.0/24", Unschedulable: g.chance(10),
			Taints: g.taints(),
		},
		Status: corev1.NodeStatus{
			Capacity:    g.resources(),
			Allocatable: g.resources(),
			Conditions:  g.conditions(),
			Addresses:   []corev1.NodeAddress{{Type: corev1.NodeInternalIP, Address: "10.1.2.3"}},
			NodeInfo:    corev1.NodeSystemInfo{KubeletVersion: "v1.36.3", Architecture: "amd64"},
			Images:      []corev1.ContainerImage{{Names: []string{"registry/image:tag"}, SizeBytes: 1 << 40}},
		},
	}
}

func (g generator) container(name string) corev1.Container {
	return corev1.Container{
		Name:    name,
		Image:   "registry/image:tag",
		Command: []string{"sh", "-c", "exec train"},
		Env:     []corev1.EnvVar{{Name: "A", Value: "日本"}},
		Resources: corev1.ResourceRequirements{
			Requests: g.resources(),
			Limits:   g.resources(),
			Claims:   []corev1.ResourceClaim{{Name: "claim"}},
		},
		VolumeMounts: []corev1.VolumeMount{{Name: "data", MountPath: "/data"}},
	}
}

func (g generator) initContainer(name string) corev1.Container {
	container := g.container(name)
	always, never := corev1.ContainerRestartPolicyAlways, corev1.ContainerRestartPolicyNever
	container.RestartPolicy = pick(g, nil, &always, &always, &never)
	return container
}

// podConditions holds PodScheduled once at most, as conditions are a map by type.
func (g generator) podConditions() []corev1.PodCondition {
	if g.chance(20) {
		return nil
	}
	return []corev1.PodCondition{
		{Type: corev1.PodReady, Status: corev1.ConditionFalse, Reason: "Unschedulable", Message: "ready"},
		{
			Type: corev1.PodScheduled, LastTransitionTime: g.time(),
			Status:  pick(g, corev1.ConditionTrue, corev1.ConditionFalse, corev1.ConditionFalse, ""),
			Reason:  pick(g, "", "Unschedulable", "Unschedulable", "SchedulingGated"),
			Message: pick(g, "", "0/3 nodes are available: 3 Insufficient nvidia.com/gpu."),
		},
	}
}

func (g generator) pod(index int) *corev1.Pod {
	pod := &corev1.Pod{ObjectMeta: g.metadata(fmt.Sprintf("pod-%d", index))}
	pod.Namespace = pick(g, "default", "team-a")
	pod.Spec = corev1.PodSpec{
		NodeName:     pick(g, "", "node-1"),
		NodeSelector: map[string]string{"a": "b"},
		Volumes:      []corev1.Volume{{Name: "data"}},
		Tolerations:  g.tolerations(),
	}
	for i := range g.IntN(4) {
		pod.Spec.Containers = append(pod.Spec.Containers, g.container(fmt.Sprint("c", i)))
	}
	for i := range pick(g, 0, 0, 1, 3) {
		pod.Spec.InitContainers = append(pod.Spec.InitContainers, g.initContainer(fmt.Sprint("i", i)))
	}
	if g.chance(30) {
		pod.Spec.Overhead = g.resources()
	}
	if g.chance(30) {
		pod.Spec.Resources = &corev1.ResourceRequirements{Requests: g.resources(), Limits: g.resources()}
	}
	pod.Status.Phase = pick(g, "", corev1.PodPending, corev1.PodRunning, corev1.PodSucceeded, corev1.PodFailed)
	pod.Status.Conditions = g.podConditions()
	return pod
}
