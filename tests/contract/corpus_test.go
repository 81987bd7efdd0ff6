package contract

import (
	"fmt"
	"math"
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
	if g.chance(5) {
		// The API server stores these of conditions: the zero time in another zone, and years that no
		// text of RFC 3339 has.
		tokyo := time.FixedZone("", 9*3600)
		return metav1.NewTime(pick(g, time.Date(1, 1, 1, 0, 0, 0, 0, tokyo), time.Date(10_000, 1, 1, 0, 0, 0, 0, time.UTC)))
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
	count := pick(g, 0, 1, 5, 12, 256) // the most that Berth reads
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

// annotated adds annotations of nodes of which two are kept.
func (g generator) annotated(metadata metav1.ObjectMeta) metav1.ObjectMeta {
	if g.chance(50) {
		metadata.Annotations = map[string]string{
			"berth.dev/avoid": "uid=2026-01-31T12:00:00Z", "berth.dev/avoids": "x", "avoid": "y", "example.com/ttl": "0",
			"berth.dev/kept": "ml/train resource=nvidia.com/gpu devices=8", "berth.dev/unkept": "x", "kept": "y",
		}
	}
	return metadata
}

func (g generator) node(index int) *corev1.Node {
	return &corev1.Node{
		ObjectMeta: g.annotated(g.metadata(fmt.Sprintf("node-%d", index))),
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
		{Type: corev1.DisruptionTarget, Status: pick(g, corev1.ConditionTrue, corev1.ConditionFalse)},
		{
			Type:   pick[corev1.PodConditionType](g, "berth.dev/gang", "example.com/gang", "example.com/agang", "gang"),
			Status: pick(g, corev1.ConditionTrue, corev1.ConditionFalse, corev1.ConditionFalse),
			Message: pick(g, "", "gang train of 4: 3 of 4 pods fit at once", strings.Repeat("x", 512),
				strings.Repeat("x", 508)+"日本", strings.Repeat("日本", 200)),
		},
	}
}

func (g generator) labelSelector() *metav1.LabelSelector {
	if g.chance(20) {
		return nil
	}
	selector := &metav1.LabelSelector{}
	if g.chance(50) {
		selector.MatchLabels = map[string]string{"app": pick(g, "web", "db"), "": pick(g, "", "日本")}
	}
	for range pick(g, 0, 1, 2) {
		selector.MatchExpressions = append(selector.MatchExpressions, metav1.LabelSelectorRequirement{
			Key:      pick(g, "app", "tier"),
			Operator: pick(g, metav1.LabelSelectorOpIn, metav1.LabelSelectorOpNotIn, metav1.LabelSelectorOpExists, ""),
			Values:   pick(g, nil, []string{"web"}, []string{"b", "a"}),
		})
	}
	return selector
}

func (g generator) affinityTerms() []corev1.PodAffinityTerm {
	var terms []corev1.PodAffinityTerm
	for range pick(g, 0, 1, 2) {
		terms = append(terms, corev1.PodAffinityTerm{
			LabelSelector:     g.labelSelector(),
			Namespaces:        pick(g, nil, []string{"team-b"}, []string{"z", "a", "z"}),
			TopologyKey:       corev1.LabelHostname,
			NamespaceSelector: pick(g, nil, nil, &metav1.LabelSelector{}),
			MatchLabelKeys:    pick(g, nil, []string{"pod-template-hash"}),
		})
	}
	return terms
}

func (g generator) weightedTerms() []corev1.WeightedPodAffinityTerm {
	var weighted []corev1.WeightedPodAffinityTerm
	for _, term := range g.affinityTerms() {
		weighted = append(weighted, corev1.WeightedPodAffinityTerm{Weight: 7, PodAffinityTerm: term})
	}
	return weighted
}

func (g generator) affinity() *corev1.Affinity {
	if g.chance(60) {
		return nil
	}
	affinity := &corev1.Affinity{}
	if g.chance(50) {
		affinity.NodeAffinity = &corev1.NodeAffinity{
			RequiredDuringSchedulingIgnoredDuringExecution:  &corev1.NodeSelector{},
			PreferredDuringSchedulingIgnoredDuringExecution: pick(g, nil, []corev1.PreferredSchedulingTerm{{Weight: 1}}),
		}
	}
	if g.chance(50) {
		affinity.PodAffinity = &corev1.PodAffinity{
			RequiredDuringSchedulingIgnoredDuringExecution:  g.affinityTerms(),
			PreferredDuringSchedulingIgnoredDuringExecution: g.weightedTerms(),
		}
	}
	if g.chance(50) {
		affinity.PodAntiAffinity = &corev1.PodAntiAffinity{
			RequiredDuringSchedulingIgnoredDuringExecution:  g.affinityTerms(),
			PreferredDuringSchedulingIgnoredDuringExecution: g.weightedTerms(),
		}
	}
	return affinity
}

func (g generator) owners() []metav1.OwnerReference {
	yes, no := true, false
	if g.chance(40) {
		return nil
	}
	return []metav1.OwnerReference{
		{APIVersion: "v1", Kind: "ReplicaSet", Name: "o", UID: "u", Controller: pick(g, nil, &no)},
		{APIVersion: pick(g, "v1", "batch/v1", "batch.example.com/v1"), Kind: pick(g, "Job", "ReplicaSet", "StatefulSet", "ReplicationController"),
			Name: "c", UID: "u-2", Controller: pick(g, &yes, &yes, &no)},
	}
}

func (g generator) spreadConstraints() []corev1.TopologySpreadConstraint {
	var constraints []corev1.TopologySpreadConstraint
	for range pick(g, 0, 0, 1, 2) {
		constraints = append(constraints, corev1.TopologySpreadConstraint{
			MaxSkew: 1, TopologyKey: corev1.LabelHostname,
			WhenUnsatisfiable: pick(g, corev1.DoNotSchedule, corev1.DoNotSchedule, corev1.ScheduleAnyway, ""),
			LabelSelector:     g.labelSelector(),
		})
	}
	return constraints
}

func (g generator) service(index int) *corev1.Service {
	service := &corev1.Service{ObjectMeta: g.metadata(fmt.Sprintf("service-%d", index))}
	service.Namespace = pick(g, "default", "team-a")
	service.Spec = corev1.ServiceSpec{
		Ports:     []corev1.ServicePort{{Port: 80}},
		Selector:  pick(g, nil, map[string]string{"app": "web"}, map[string]string{"app": "", "tier": "日本"}),
		ClusterIP: "None",
	}
	return service
}

func (g generator) pod(index int) *corev1.Pod {
	pod := &corev1.Pod{ObjectMeta: g.metadata(fmt.Sprintf("pod-%d", index))}
	pod.OwnerReferences = g.owners()
	pod.Namespace = pick(g, "default", "team-a")
	pod.Spec = corev1.PodSpec{
		NodeName:     pick(g, "", "node-1"),
		NodeSelector: map[string]string{"a": "b"},
		Volumes:      []corev1.Volume{{Name: "data"}},
		Tolerations:  g.tolerations(),
		Affinity:     g.affinity(),

		TopologySpreadConstraints: g.spreadConstraints(),
		ResourceClaims:            pick(g, nil, nil, []corev1.PodResourceClaim{{Name: "claim"}}),
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
	if g.chance(40) {
		pod.DeletionTimestamp = new(g.time())
	}
	pod.Status.Phase = pick(g, "", corev1.PodPending, corev1.PodRunning, corev1.PodSucceeded, corev1.PodFailed)
	pod.Status.Conditions = g.podConditions()
	pod.Spec.Priority = pick(g, nil, new(int32), new(int32(2_000_001_000)), new(int32(math.MinInt32)))
	return pod
}
