package admission

import (
	"strings"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

const (
	createdBy        = "berth.dev/created-by"
	applied          = "berth.dev/applied"
	checkpoint       = "berth.dev/checkpoint"
	acceleratorLabel = "berth.dev/accelerator"
)

// list reads resources as in "cpu=1 memory=2Gi nvidia.com/gpu=1".
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

func requirements(requests, limits string) corev1.ResourceRequirements {
	return corev1.ResourceRequirements{Requests: list(requests), Limits: list(limits)}
}

func container(name, requests, limits string) corev1.Container {
	return corev1.Container{Name: name, Image: "registry.example/train:1",
		Resources: requirements(requests, limits)}
}

// sidecar is an init container that runs beside the others.
func sidecar(name, requests, limits string) corev1.Container {
	c := container(name, requests, limits)
	c.RestartPolicy = new(corev1.ContainerRestartPolicyAlways)
	return c
}

func podSpec(containers ...corev1.Container) corev1.PodSpec {
	return corev1.PodSpec{RestartPolicy: corev1.RestartPolicyNever,
		TerminationGracePeriodSeconds: new(int64(1)), Containers: containers}
}

func pod(containers ...corev1.Container) *corev1.Pod {
	return &corev1.Pod{ObjectMeta: metav1.ObjectMeta{GenerateName: "pod-"},
		Spec: podSpec(containers...)}
}

// annotated adds annotations, keys and values in turn.
func annotated(meta *metav1.ObjectMeta, annotations ...string) {
	if meta.Annotations == nil {
		meta.Annotations = map[string]string{}
	}
	for i := 0; i < len(annotations); i += 2 {
		meta.Annotations[annotations[i]] = annotations[i+1]
	}
}

// job makes one whose template carries annotations, keys and values in turn.
func job(name string, spec corev1.PodSpec, annotations ...string) *batchv1.Job {
	j := &batchv1.Job{ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec: batchv1.JobSpec{Template: template(spec, annotations...)}}
	return j
}

func template(spec corev1.PodSpec, annotations ...string) corev1.PodTemplateSpec {
	t := corev1.PodTemplateSpec{
		ObjectMeta: metav1.ObjectMeta{Labels: map[string]string{"app": "train"}}, Spec: spec,
	}
	annotated(&t.ObjectMeta, annotations...)
	return t
}

func selector() *metav1.LabelSelector {
	return &metav1.LabelSelector{MatchLabels: map[string]string{"app": "train"}}
}
