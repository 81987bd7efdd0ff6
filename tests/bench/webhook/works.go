package main

import (
	"context"
	"fmt"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"berth.dev/berth/tests/e2e/fleet"
)

const jobController = "system:serviceaccount:kube-system:job-controller"

// everyPolicy has each policy at work on the pods of this program.
var everyPolicy = map[string]any{"policies": map[string]any{
	"schedulerName": map[string]any{"name": "ml-scheduler"},
}}

// work is pods to create, numbered from 1.
type work struct {
	name   string
	client kubernetes.Interface
	pod    func(number int) *corev1.Pod
}

// addWorks makes both kinds of pods; Berth is asked about the namespace.
func (b *bench) addWorks(ctx context.Context, namespace string) error {
	job, err := b.box.Client.BatchV1().Jobs(namespace).Create(ctx, &batchv1.Job{
		ObjectMeta: metav1.ObjectMeta{Name: "train"},
		Spec:       batchv1.JobSpec{Template: corev1.PodTemplateSpec{Spec: written(1).Spec}},
	}, metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
	if err != nil {
		return err
	}
	config := rest.CopyConfig(b.box.Config)
	config.Impersonate = rest.ImpersonationConfig{
		UserName: jobController, Groups: []string{"system:masters"}}
	controller, err := kubernetes.NewForConfig(config)
	b.works = []work{
		{"pods as people write them: Berth changes each", b.box.Client, written},
		{"pods as the Job controller makes them of a Job that Berth has changed", controller,
			func(number int) *corev1.Pod { return ofJob(job, number) }},
	}
	return err
}

// written is a pod as many researchers write it: devices and what they are for, but no limits. Half
// of them keep checkpoints; every fourth asks for no device.
func written(number int) *corev1.Pod {
	pod := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{
			Name:        podName(number),
			Annotations: map[string]string{fleet.AnnotationAccelerators: "V100,A100"},
		},
		Spec: corev1.PodSpec{
			RestartPolicy: corev1.RestartPolicyNever,
			Containers: []corev1.Container{{
				Name: "train", Image: "registry.example/train:1", Command: []string{"python", "train.py"},
				Env: []corev1.EnvVar{{Name: "EPOCHS", Value: "90"}, {Name: "BATCH", Value: "256"}},
				Resources: corev1.ResourceRequirements{Limits: corev1.ResourceList{
					fleet.ResourceGPU: resource.MustParse("2"),
				}},
			}},
		},
	}
	if number%2 == 0 {
		pod.Annotations["berth.dev/checkpoint"] = "true"
	}
	if number%4 == 0 {
		pod.Annotations = nil
		pod.Spec.Containers[0].Resources = corev1.ResourceRequirements{}
	}
	return pod
}

// ofJob is a pod with the Job's template and owner.
func ofJob(job *batchv1.Job, number int) *corev1.Pod {
	owner := metav1.NewControllerRef(job, batchv1.SchemeGroupVersion.WithKind("Job"))
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{
			Name: podName(number), Labels: job.Spec.Template.Labels,
			Annotations: job.Spec.Template.Annotations, OwnerReferences: []metav1.OwnerReference{*owner},
		},
		Spec: job.Spec.Template.Spec,
	}
}

func podName(number int) string { return fmt.Sprintf("train-%05d", number) }
