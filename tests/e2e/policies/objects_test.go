package policies

import (
	"fmt"
	"math/rand/v2"
	"strings"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

const full = "cpu=1 memory=1Gi"

// controllers are configured beside those of Kubernetes.
var controllers = []map[string]any{
	{"user": "system:serviceaccount:trainers:operator", "owner": "PyTorchJob"},
	{"user": "system:serviceaccount:trainers:operator", "owner": "DaemonSet"},
}

func account(name string) user {
	return user{name: "system:serviceaccount:kube-system:" + name}
}

var alice = user{name: "alice", groups: []string{"system:authenticated"}}

// An origin is who creates an object, and which owner it then has (apiVersion and kind), if any.
type origin struct {
	user
	owner [2]string
}

var origins = []origin{
	{alice, [2]string{}}, {alice, [2]string{}}, {alice, [2]string{}}, {alice, [2]string{}},
	{alice, [2]string{"batch/v1", "Job"}}, // a claim
	{account("job-controller"), [2]string{"batch/v1", "Job"}},
	{account("job-controller"), [2]string{"kubeflow.org/v1", "Job"}},
	{account("replicaset-controller"), [2]string{"apps/v1", "ReplicaSet"}},
	{account("daemon-set-controller"), [2]string{"apps/v1", "DaemonSet"}},
	{user{name: "system:kube-controller-manager"}, [2]string{"batch/v1", "Job"}},
	{user{name: "system:kube-controller-manager"}, [2]string{"apps/v1", "DaemonSet"}},
	{user{name: "system:kube-controller-manager"}, [2]string{}},
	{user{name: "system:node:a", groups: []string{"system:nodes"}}, [2]string{}},
	{user{name: "system:serviceaccount:trainers:operator"}, [2]string{"kubeflow.org/v1", "PyTorchJob"}},
	{user{name: "system:serviceaccount:trainers:operator"}, [2]string{"apps/v1", "DaemonSet"}},
	{user{name: "system:serviceaccount:trainers:operator"}, [2]string{}},
}

// list reads "cpu=1 memory=2Gi".
func list(text string) corev1.ResourceList {
	var all corev1.ResourceList
	for _, entry := range strings.Fields(text) {
		name, value, _ := strings.Cut(entry, "=")
		if all == nil {
			all = corev1.ResourceList{}
		}
		all[corev1.ResourceName(name)] = resource.MustParse(value)
	}
	return all
}

func containerOf(name, requests, limits string) corev1.Container {
	return corev1.Container{Name: name, Image: "registry.example/train:1",
		Resources: corev1.ResourceRequirements{Requests: list(requests), Limits: list(limits)}}
}

func podOf(containers ...corev1.Container) *corev1.Pod {
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: "train"},
		Spec: corev1.PodSpec{RestartPolicy: corev1.RestartPolicyNever, Containers: containers,
			// Its volume would have a random name.
			AutomountServiceAccountToken: new(false)},
	}
}

func jobOf(pod *corev1.Pod) *batchv1.Job {
	return &batchv1.Job{
		ObjectMeta: metav1.ObjectMeta{Name: "train"},
		Spec: batchv1.JobSpec{Template: corev1.PodTemplateSpec{
			ObjectMeta: metav1.ObjectMeta{Annotations: pod.Annotations}, Spec: pod.Spec}},
	}
}

// faultyObjects are those to which one policy objects, and no other, as they are written.
func faultyObjects() map[string]runtime.Object {
	device := func(key, value string) *corev1.Pod {
		pod := isolated(podOf(containerOf("train", "", full+" nvidia.com/gpu=1")))
		pod.Annotations = map[string]string{key: value}
		return pod
	}
	return map[string]runtime.Object{
		"guaranteed-qos":       isolated(podOf(containerOf("train", "", ""))),
		"job-retries":          jobOf(device("example.com/a", "b")),
		"accelerator-affinity": device("berth.dev/accelerators", "Z9"),
		"accelerator-memory":   device("berth.dev/accelerator-memory", "40"),
		"checkpoint":           device("berth.dev/checkpoint", "true"),
		"isolation":            podOf(containerOf("train", "", full)),
	}
}

func isolated(pod *corev1.Pod) *corev1.Pod {
	pod.Spec.Affinity = affinityOf(term(accelerator, corev1.NodeSelectorOpDoesNotExist))
	return pod
}

func term(key string, op corev1.NodeSelectorOperator, values ...string) corev1.NodeSelectorTerm {
	return corev1.NodeSelectorTerm{MatchExpressions: []corev1.NodeSelectorRequirement{
		{Key: key, Operator: op, Values: values}}}
}

func affinityOf(terms ...corev1.NodeSelectorTerm) *corev1.Affinity {
	return &corev1.Affinity{NodeAffinity: &corev1.NodeAffinity{
		RequiredDuringSchedulingIgnoredDuringExecution: &corev1.NodeSelector{
			NodeSelectorTerms: terms}}}
}

func one[T any](random *rand.Rand, of ...T) T { return of[random.IntN(len(of))] }

// rarely is true once in so many times.
func rarely(random *rand.Rand, times int) bool { return random.IntN(times) == 0 }

// generated is a pod or Job of a random shape, and who creates it.
func generated(random *rand.Rand) (runtime.Object, origin) {
	pod := anyPod(random)
	from := one(random, origins...)
	if rarely(random, 2) {
		job := anyJob(random, pod)
		job.Annotations = anyAnnotations(random)
		job.OwnerReferences = from.references()
		return job, from
	}
	pod.OwnerReferences = from.references()
	return pod, from
}

func (o origin) references() []metav1.OwnerReference {
	if o.owner[1] == "" {
		return nil
	}
	return []metav1.OwnerReference{{APIVersion: o.owner[0], Kind: o.owner[1], Name: "owner",
		UID: "8d6e8f8e-0d2a-4c3b-9d0a-0a5f0c1d2e3f", Controller: new(true)}}
}

func anyPod(random *rand.Rand) *corev1.Pod {
	pod := podOf()
	for i := range 1 + random.IntN(2) {
		pod.Spec.Containers = append(pod.Spec.Containers, anyContainer(random, fmt.Sprintf("main-%d", i)))
	}
	if rarely(random, 8) {
		pod.Spec.Containers = append(pod.Spec.Containers, anyContainer(random, "istio-proxy"))
	}
	if rarely(random, 3) {
		init := anyContainer(random, "init")
		if rarely(random, 2) {
			init.RestartPolicy = new(corev1.ContainerRestartPolicyAlways)
		}
		pod.Spec.InitContainers = append(pod.Spec.InitContainers, init)
	}
	if rarely(random, 12) {
		pod.Spec.Resources = &corev1.ResourceRequirements{
			Requests: list(one(random, "", "cpu=64 memory=512Gi")),
			Limits:   list(one(random, "cpu=64", "cpu=64 memory=512Gi"))}
	}
	pod.Annotations = anyAnnotations(random)
	pod.Spec.Affinity = anyAffinity(random)
	pod.Spec.NodeSelector = one(random, nil, nil, nil, nil, map[string]string{"zone": "a"},
		map[string]string{accelerator: "A100"},
		map[string]string{"nvidia.com/gpu.product": "Tesla-V100-SXM2-32GB"},
		map[string]string{"nvidia.com/gpu.product": "Unheard-of"})
	pod.Spec.SchedulerName = one(random, "", "", "", "mine")
	pod.Spec.NodeName = one(random, "", "", "", "", "", "", "", "a")
	if rarely(random, 12) {
		pod.Spec.ResourceClaims = []corev1.PodResourceClaim{
			{Name: "device", ResourceClaimTemplateName: new("device")}}
	}
	return pod
}

func anyContainer(random *rand.Rand, name string) corev1.Container {
	requests := one(random, "", "", "cpu=1 memory=1Gi", "memory=1Gi", "cpu=250m memory=512Mi",
		"cpu=0 memory=0", "cpu=1", "cpu=3 memory=2048Mi", "cpu=4", "cpu=-1 memory=1Gi")
	limits := one(random, "", "cpu=2 memory=2Gi", "cpu=2 memory=4Gi", "memory=2Gi", "cpu=2", "cpu=0",
		full, "cpu=1 memory=1Gi nvidia.com/gpu=1", "nvidia.com/gpu=1",
		"cpu=3 memory=9Gi nvidia.com/gpu=2",
		"cpu=1 memory=1Gi preferred.jp/mncore=1", "cpu=1 memory=1Gi nvidia.com/gpu=0",
		"cpu=1 memory=1Gi nvidia.com/mig-1g.5gb=1", "cpu=1 memory=1Gi example.com/device=1",
		"cpu=1 memory=1Gi deviceclass.resource.kubernetes.io/device=1", "cpu=1 memory=1Gi rdma/hca=1")
	return containerOf(name, requests, limits)
}

// annotations are those that policies read or write, with values that they may have.
var annotations = []struct {
	key    string
	values []string
}{
	{"berth.dev/accelerators", []string{"V100", " A100 , V100,A100,", "Z9", "V100,Z9", "MN-Core", ""}},
	{"berth.dev/accelerator-memory", []string{"40Gi", "24.5Gi", "500M", "much", "0", "-1Gi", "1e10",
		" 16Gi ", "1073741823.5", "40", "1048575", "1Mi", "64Pi", "64Ei"}},
	{"berth.dev/allow-accelerator-nodes", []string{"true", "true", "yes"}},
	{"berth.dev/retryless", []string{"true"}},
	{"berth.dev/created-by", []string{"mallory"}},
	{"example.com/a~b", []string{"c"}},
	{"kubernetes.io/limit-ranger", []string{
		"LimitRanger plugin set: cpu, memory request for container main-0",
		"LimitRanger plugin set: cpu, memory limit for container main-0; memory request for init " +
			"container init",
		"LimitRanger plugin set: memory limit for container main-1; cpu request for container main-1",
		"something else"}},
}

func anyAnnotations(random *rand.Rand) map[string]string {
	var all map[string]string
	for _, annotation := range annotations {
		if !rarely(random, 6) {
			continue
		}
		if all == nil {
			all = map[string]string{}
		}
		all[annotation.key] = one(random, annotation.values...)
	}
	return all
}

func anyAffinity(random *rand.Rand) *corev1.Affinity {
	if !rarely(random, 3) {
		return one(random, nil, nil, nil, &corev1.Affinity{},
			&corev1.Affinity{NodeAffinity: &corev1.NodeAffinity{}})
	}
	var terms []corev1.NodeSelectorTerm
	for range 1 + random.IntN(2) {
		terms = append(terms, one(random,
			term("zone", corev1.NodeSelectorOpIn, "a"), term("zone", corev1.NodeSelectorOpIn, "b"),
			term(accelerator, corev1.NodeSelectorOpDoesNotExist),
			term(accelerator, corev1.NodeSelectorOpIn, "V100"),
			term(accelerator, corev1.NodeSelectorOpExists),
			term("nvidia.com/gpu.product", corev1.NodeSelectorOpExists),
			term("nvidia.com/gpu.product", corev1.NodeSelectorOpIn, "NVIDIA-A100-SXM4-40GB", "other"),
			term("nvidia.com/gpu.product", corev1.NodeSelectorOpIn, "Unheard-of"),
			corev1.NodeSelectorTerm{},
			corev1.NodeSelectorTerm{MatchFields: []corev1.NodeSelectorRequirement{
				{Key: "metadata.name", Operator: corev1.NodeSelectorOpIn, Values: []string{"a"}}}}))
	}
	return affinityOf(terms...)
}

func anyJob(random *rand.Rand, pod *corev1.Pod) *batchv1.Job {
	job := jobOf(pod)
	job.Spec.Template.Spec.RestartPolicy = one(random, corev1.RestartPolicyNever,
		corev1.RestartPolicyNever, corev1.RestartPolicyOnFailure)
	never := job.Spec.Template.Spec.RestartPolicy == corev1.RestartPolicyNever
	if rarely(random, 3) {
		job.Spec.BackoffLimit = new(int32(random.IntN(9)))
	}
	if rarely(random, 4) {
		job.Spec.CompletionMode, job.Spec.Completions = new(batchv1.IndexedCompletion), new(int32(2))
		if never {
			job.Spec.BackoffLimitPerIndex = new(int32(random.IntN(4)))
		}
	}
	if never && rarely(random, 3) {
		job.Spec.PodFailurePolicy = &batchv1.PodFailurePolicy{}
		for range one(random, 1, 1, 2, 3, 19, 20) {
			rules := &job.Spec.PodFailurePolicy.Rules
			*rules = append(*rules, anyRule(random, job.Spec.BackoffLimitPerIndex != nil))
		}
	}
	if rarely(random, 12) {
		job.Spec.ManagedBy = new(one(random, "example.com/runner", "kubernetes.io/job-controller"))
	}
	return job
}

func anyRule(random *rand.Rand, perIndex bool) batchv1.PodFailurePolicyRule {
	actions := []batchv1.PodFailurePolicyAction{batchv1.PodFailurePolicyActionIgnore,
		batchv1.PodFailurePolicyActionFailJob, batchv1.PodFailurePolicyActionCount}
	if perIndex {
		actions = append(actions, batchv1.PodFailurePolicyActionFailIndex)
	}
	rule := batchv1.PodFailurePolicyRule{Action: one(random, actions...)}
	if rarely(random, 2) {
		rule.OnExitCodes = one(random,
			&batchv1.PodFailurePolicyOnExitCodesRequirement{
				Operator: batchv1.PodFailurePolicyOnExitCodesOpIn, Values: []int32{3, 137}},
			&batchv1.PodFailurePolicyOnExitCodesRequirement{
				Operator: batchv1.PodFailurePolicyOnExitCodesOpIn, Values: []int32{255}},
			&batchv1.PodFailurePolicyOnExitCodesRequirement{
				Operator: batchv1.PodFailurePolicyOnExitCodesOpNotIn, Values: []int32{255}},
			&batchv1.PodFailurePolicyOnExitCodesRequirement{ContainerName: new("main-0"),
				Operator: batchv1.PodFailurePolicyOnExitCodesOpNotIn, Values: []int32{255}})
		return rule
	}
	for range 1 + random.IntN(2) {
		pattern := batchv1.PodFailurePolicyOnPodConditionsPattern{
			Type: one(random, corev1.DisruptionTarget, corev1.DisruptionTarget, corev1.PodReady,
				corev1.PodConditionType("example.com/Broken")),
			Status: one(random, corev1.ConditionTrue, corev1.ConditionTrue, corev1.ConditionFalse)}
		rule.OnPodConditions = append(rule.OnPodConditions, pattern)
	}
	return rule
}
