package contract

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

// resourcesOf reads "cpu=1 memory=2Gi".
func resourcesOf(text string) corev1.ResourceList {
	var list corev1.ResourceList
	for _, entry := range strings.Fields(text) {
		name, value, _ := strings.Cut(entry, "=")
		if list == nil {
			list = corev1.ResourceList{}
		}
		list[corev1.ResourceName(name)] = resource.MustParse(value)
	}
	return list
}

func containerOf(name, requests, limits string) corev1.Container {
	return corev1.Container{Name: name, Image: "registry.example/train:1",
		Resources: corev1.ResourceRequirements{
			Requests: resourcesOf(requests), Limits: resourcesOf(limits)}}
}

func podOf(containers ...corev1.Container) *corev1.Pod {
	return &corev1.Pod{
		TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "Pod"},
		ObjectMeta: metav1.ObjectMeta{Name: "train", Namespace: "team"},
		Spec:       corev1.PodSpec{RestartPolicy: corev1.RestartPolicyNever, Containers: containers},
	}
}

func devicePod(devices string) *corev1.Pod {
	pod := podOf(containerOf("train", "", "nvidia.com/gpu="+devices))
	pod.Annotations = map[string]string{"berth.dev/accelerators": "V100"}
	return pod
}

func jobOf(pod *corev1.Pod) *batchv1.Job {
	return &batchv1.Job{
		TypeMeta:   metav1.TypeMeta{APIVersion: "batch/v1", Kind: "Job"},
		ObjectMeta: metav1.ObjectMeta{Name: "train", Namespace: "team"},
		Spec: batchv1.JobSpec{Template: corev1.PodTemplateSpec{
			ObjectMeta: metav1.ObjectMeta{Annotations: pod.Annotations}, Spec: pod.Spec}},
	}
}

// writtenObjects are pods and Jobs as people write them.
func writtenObjects() map[string]runtime.Object {
	sidecar := containerOf("logs", "", "")
	sidecar.RestartPolicy = new(corev1.ContainerRestartPolicyAlways)
	helped := podOf(containerOf("train", "cpu=2", "memory=8Gi"))
	helped.Spec.InitContainers = []corev1.Container{containerOf("download", "cpu=4", ""), sidecar}
	affine := podOf(containerOf("train", "", ""))
	affine.Spec.Affinity = &corev1.Affinity{NodeAffinity: &corev1.NodeAffinity{
		RequiredDuringSchedulingIgnoredDuringExecution: &corev1.NodeSelector{
			NodeSelectorTerms: []corev1.NodeSelectorTerm{zoneIs("a"), zoneIs("b")}}}}
	checkpointed := devicePod("1")
	checkpointed.Annotations["berth.dev/checkpoint"] = "true"
	roomy := devicePod("1")
	roomy.Annotations["berth.dev/accelerator-memory"] = "24.5Gi"
	modest := jobOf(devicePod("1"))
	modest.Spec.Template.Annotations["berth.dev/accelerator-memory"] = "500M"
	podLevel := podOf(containerOf("train", "", ""), containerOf("metrics", "", ""))
	podLevel.Spec.Resources = &corev1.ResourceRequirements{Limits: resourcesOf("cpu=2 memory=4Gi")}
	ruled := jobOf(devicePod("1"))
	ruled.Spec.PodFailurePolicy = &batchv1.PodFailurePolicy{Rules: []batchv1.PodFailurePolicyRule{
		{Action: batchv1.PodFailurePolicyActionFailJob,
			OnExitCodes: &batchv1.PodFailurePolicyOnExitCodesRequirement{
				Operator: batchv1.PodFailurePolicyOnExitCodesOpIn, Values: []int32{42}}},
	}}
	perIndex := jobOf(devicePod("1"))
	perIndex.Spec.CompletionMode = new(batchv1.IndexedCompletion)
	perIndex.Spec.Completions, perIndex.Spec.BackoffLimitPerIndex = new(int32(3)), new(int32(2))
	restarting := jobOf(devicePod("1"))
	restarting.Spec.Template.Spec.RestartPolicy = corev1.RestartPolicyOnFailure
	resizing := jobOf(podOf(containerOf("train", "", "nvidia.com/gpu=1"), containerOf("logs", "", "")))
	resizing.Spec.Template.Spec.RestartPolicy = corev1.RestartPolicyOnFailure
	resizing.Spec.Template.Spec.Containers[0].ResizePolicy = []corev1.ContainerResizePolicy{
		{ResourceName: corev1.ResourceCPU, RestartPolicy: corev1.NotRequired},
		{ResourceName: corev1.ResourceMemory, RestartPolicy: corev1.RestartContainer}}
	byExitCode := jobOf(podOf(containerOf("train", "", "nvidia.com/gpu=1")))
	byExitCode.Spec.Template.Spec.InitContainers = []corev1.Container{restartingOf("download", "OnFailure"),
		restartingOf("proxy", "Always")}
	byExitCode.Spec.Template.Spec.Containers = append(byExitCode.Spec.Template.Spec.Containers,
		restartingOf("metrics", "Never"))
	succeeding := jobOf(devicePod("1"))
	succeeding.Spec.CompletionMode = new(batchv1.IndexedCompletion)
	succeeding.Spec.Completions, succeeding.Spec.Parallelism = new(int32(3)), new(int32(3))
	succeeding.Spec.SuccessPolicy = &batchv1.SuccessPolicy{
		Rules: []batchv1.SuccessPolicyRule{{SucceededIndexes: new("0")}}}
	return map[string]runtime.Object{
		"pod without anything":          podOf(containerOf("train", "", "")),
		"pod with devices":              devicePod("2"),
		"pod with requests":             podOf(containerOf("train", "cpu=1500m memory=3Gi", "")),
		"pod with unlike limits":        podOf(containerOf("train", "cpu=1 memory=1Gi", "cpu=2 memory=2Gi")),
		"pod with init and sidecar":     helped,
		"pod with affinity":             affine,
		"pod with checkpoints":          checkpointed,
		"pod with a least memory":       roomy,
		"pod with pod-level resources":  podLevel,
		"pod with annotations of slash": annotatedPod("example.com/a~b", "c"),
		"Job without anything":          jobOf(podOf(containerOf("train", "", ""))),
		"Job with devices":              jobOf(devicePod("4")),
		"Job with a small memory":       modest,
		"Job with rules of its own":     ruled,
		"Job with retries per index":    perIndex,
		"Job that restarts":             restarting,
		"Job that restarts at a resize": resizing,
		"Job that restarts containers":  byExitCode,
		"Job with a successPolicy":      succeeding,
	}
}

// restartingOf is a container that kubelet restarts in place, also if it exits with 42.
func restartingOf(name, policy string) corev1.Container {
	container := containerOf(name, "", "")
	container.RestartPolicy = new(corev1.ContainerRestartPolicy(policy))
	container.RestartPolicyRules = []corev1.ContainerRestartRule{{
		Action: corev1.ContainerRestartRuleActionRestart,
		ExitCodes: &corev1.ContainerRestartRuleOnExitCodes{
			Operator: corev1.ContainerRestartRuleOnExitCodesOpIn, Values: []int32{42}}}}
	return container
}

func annotatedPod(key, value string) *corev1.Pod {
	pod := podOf(containerOf("train", "", ""))
	pod.Annotations = map[string]string{key: value}
	return pod
}

func zoneIs(zone string) corev1.NodeSelectorTerm {
	return corev1.NodeSelectorTerm{MatchExpressions: []corev1.NodeSelectorRequirement{
		{Key: corev1.LabelTopologyZone, Operator: corev1.NodeSelectorOpIn, Values: []string{zone}}}}
}

// generated is a pod or Job of a random shape.
func generated(random *rand.Rand) runtime.Object {
	pod := podOf()
	for i := range 1 + random.IntN(3) {
		pod.Spec.Containers = append(pod.Spec.Containers, anyContainer(random, fmt.Sprintf("main-%d", i)))
	}
	for i := range random.IntN(3) {
		container := anyContainer(random, fmt.Sprintf("init-%d", i))
		if random.IntN(2) == 0 {
			container.RestartPolicy = new(corev1.ContainerRestartPolicyAlways)
		}
		pod.Spec.InitContainers = append(pod.Spec.InitContainers, container)
	}
	if random.IntN(6) == 0 {
		pod.Spec.Resources = &corev1.ResourceRequirements{
			Requests: resourcesOf(one(random, "", "cpu=1", "memory=64Gi")),
			Limits:   resourcesOf(one(random, "", "cpu=64", "cpu=64 memory=512Gi"))}
	}
	if random.IntN(4) == 0 {
		pod.Annotations = map[string]string{"berth.dev/accelerators": one(random, "V100", "A100,V100"),
			"berth.dev/checkpoint": "true"}
	}
	if random.IntN(2) == 0 {
		return anyJob(random, pod)
	}
	return pod
}

func anyContainer(random *rand.Rand, name string) corev1.Container {
	requests := one(random, "", "cpu=1", "memory=1Gi", "cpu=250m memory=512Mi", "cpu=0 memory=0")
	limits := one(random, "", "cpu=2", "memory=2Gi", "cpu=2 memory=4Gi", "cpu=0",
		"nvidia.com/gpu=1", "cpu=3 memory=9Gi nvidia.com/gpu=2")
	return containerOf(name, requests, limits)
}

func anyJob(random *rand.Rand, pod *corev1.Pod) *batchv1.Job {
	job := jobOf(pod)
	job.Spec.Template.Spec.RestartPolicy = corev1.RestartPolicy(one(random, "Never", "OnFailure"))
	main := &job.Spec.Template.Spec.Containers[0]
	if job.Spec.Template.Spec.RestartPolicy == corev1.RestartPolicyOnFailure && random.IntN(3) == 0 {
		main.ResizePolicy = []corev1.ContainerResizePolicy{
			{ResourceName: corev1.ResourceMemory, RestartPolicy: corev1.RestartContainer}}
	}
	if random.IntN(4) == 0 {
		restarting := restartingOf("", one(random, "Never", "OnFailure", "Always"))
		main.RestartPolicy, main.RestartPolicyRules = restarting.RestartPolicy, restarting.RestartPolicyRules
	}
	switch random.IntN(4) {
	case 0:
		job.Spec.BackoffLimit = new(int32(random.IntN(9)))
	case 1:
		job.Spec.CompletionMode, job.Spec.Completions = new(batchv1.IndexedCompletion), new(int32(2))
		if random.IntN(2) == 0 {
			job.Spec.SuccessPolicy = &batchv1.SuccessPolicy{
				Rules: []batchv1.SuccessPolicyRule{{SucceededCount: new(int32(1))}}}
		}
		if job.Spec.Template.Spec.RestartPolicy == corev1.RestartPolicyNever {
			job.Spec.BackoffLimitPerIndex = new(int32(random.IntN(4)))
		}
	}
	if job.Spec.Template.Spec.RestartPolicy == corev1.RestartPolicyNever && random.IntN(3) == 0 {
		job.Spec.PodFailurePolicy = &batchv1.PodFailurePolicy{Rules: []batchv1.PodFailurePolicyRule{{
			Action: batchv1.PodFailurePolicyAction(one(random, "Ignore", "FailJob", "Count")),
			OnExitCodes: &batchv1.PodFailurePolicyOnExitCodesRequirement{
				Operator: batchv1.PodFailurePolicyOnExitCodesOpIn, Values: []int32{3, 137}}}}}
	}
	return job
}

func one(random *rand.Rand, of ...string) string { return of[random.IntN(len(of))] }
