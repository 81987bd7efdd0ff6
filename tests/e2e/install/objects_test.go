package install

import (
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"berth.dev/berth/tests/e2e/fleet"
)

// carelessPod is one that Berth has to make safe, and that nobody places.
func carelessPod() *corev1.Pod {
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{GenerateName: "careless-"},
		Spec: corev1.PodSpec{
			SchedulerName:                 "nobody",
			TerminationGracePeriodSeconds: new(int64),
			Containers:                    []corev1.Container{{Name: "main", Image: "registry.example/main:1"}},
		},
	}
}

// isSafe tells whether Berth has seen the pod and made it safe.
func isSafe(pod *corev1.Pod) bool {
	return pod.Status.QOSClass == corev1.PodQOSGuaranteed && pod.Annotations[createdBy] != ""
}

// trainingJob asks for a V100 and says nothing else.
func trainingJob(name string) *batchv1.Job {
	return &batchv1.Job{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec: batchv1.JobSpec{Template: corev1.PodTemplateSpec{
			ObjectMeta: metav1.ObjectMeta{
				Annotations: map[string]string{fleet.AnnotationAccelerators: "V100"}},
			Spec: corev1.PodSpec{
				RestartPolicy:                 corev1.RestartPolicyNever,
				TerminationGracePeriodSeconds: new(int64),
				Containers: []corev1.Container{{
					Name: "train", Image: "registry.example/train:1", Resources: gpus(1),
				}},
			},
		}},
	}
}

// roomyJob asks for a V100 of so much memory.
func roomyJob(name, memory string) *batchv1.Job {
	job := trainingJob(name)
	job.Spec.Template.Annotations[fleet.AnnotationMemory] = memory
	return job
}

func gpus(count int64) corev1.ResourceRequirements {
	return corev1.ResourceRequirements{Limits: corev1.ResourceList{
		fleet.ResourceGPU: *resource.NewQuantity(count, resource.DecimalSI)}}
}

func gpuPod() *corev1.Pod {
	pod := carelessPod()
	pod.Spec.SchedulerName = "" // the default, which Berth changes to its own
	pod.Annotations = map[string]string{fleet.AnnotationAccelerators: "V100"}
	pod.Spec.Containers[0].Resources = gpus(1)
	return pod
}

// decentPod is one to which Berth does not object as it is.
func decentPod() *corev1.Pod {
	pod := gpuPod()
	list := pod.Spec.Containers[0].Resources.Limits
	list[corev1.ResourceCPU], list[corev1.ResourceMemory] =
		resource.MustParse("1"), resource.MustParse("1Gi")
	pod.Annotations, pod.Spec.SchedulerName = nil, "nobody"
	return pod
}
