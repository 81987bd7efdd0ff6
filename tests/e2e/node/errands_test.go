//go:build cluster

package node

import (
	"context"
	"fmt"
	"slices"
	"strings"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"berth.dev/berth/tests/e2e/fleet"
)

// errand is what a user creates: a pod, or a Job of one pod.
type errand struct {
	name string
	// accelerator is in the catalogue, and part of its product's name; the pod asks for one. Empty: it
	// asks for none, and nobody places it.
	accelerator string
	isJob       bool
	// isComplete: written as Berth would have it, so that it may pass even while nobody changes it.
	// Default: as people write it, with nothing but the accelerator.
	isComplete bool
}

var (
	carelessErrands = []errand{
		{name: "v100-job", accelerator: "V100", isJob: true}, {name: "cpu-pod"},
		{name: "a100-pod", accelerator: "A100"}, {name: "v100-pod", accelerator: "V100"},
		{name: "cpu-job", isJob: true},
	}
	completeErrands = []errand{
		{name: "v100-job", accelerator: "V100", isJob: true, isComplete: true},
		{name: "a100-pod", accelerator: "A100", isComplete: true},
		{name: "v100-pod", accelerator: "V100", isComplete: true},
	}
)

// stored is what kube-apiserver makes of an errand, without what differs each time.
type stored struct {
	Annotations, OfTemplate map[string]string
	BackoffLimit            *int32
	Spec                    corev1.PodSpec
}

func (s *stored) equals(other *stored) bool { return equality.Semantic.DeepEqual(s, other) }

// create runs the errand; with metav1.DryRunAll kube-apiserver only says what it would store.
func (e errand) create(ctx context.Context, namespace string, dryRun ...string) (*stored, error) {
	options := metav1.CreateOptions{DryRun: dryRun}
	template := e.template()
	template.GenerateName = e.name + "-"
	if !e.isJob {
		got, err := shared.Client.CoreV1().Pods(namespace).Create(ctx,
			&corev1.Pod{ObjectMeta: template.ObjectMeta, Spec: template.Spec}, options)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", e.name, err)
		}
		return &stored{Annotations: got.Annotations, Spec: got.Spec}, nil
	}
	job := &batchv1.Job{ObjectMeta: metav1.ObjectMeta{GenerateName: e.name + "-"},
		Spec: batchv1.JobSpec{Template: template}}
	if e.isComplete {
		job.Spec.BackoffLimit = new(int32)
	}
	got, err := shared.Client.BatchV1().Jobs(namespace).Create(ctx, job, options)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", e.name, err)
	}
	return &stored{Annotations: got.Annotations, OfTemplate: got.Spec.Template.Annotations,
		BackoffLimit: got.Spec.BackoffLimit, Spec: got.Spec.Template.Spec}, nil
}

func (e errand) template() corev1.PodTemplateSpec {
	limits := corev1.ResourceList{}
	template := corev1.PodTemplateSpec{
		ObjectMeta: metav1.ObjectMeta{Labels: map[string]string{fleet.LabelAsks: e.name}},
		Spec: corev1.PodSpec{
			RestartPolicy:                 corev1.RestartPolicyNever,
			TerminationGracePeriodSeconds: new(int64),
			AutomountServiceAccountToken:  new(bool), // its volume has another name each time
			SchedulerName:                 "nobody",
			Containers: []corev1.Container{{Name: "train", Image: "registry.example/train:1",
				Resources: corev1.ResourceRequirements{Limits: limits}}},
		},
	}
	if e.accelerator != "" {
		limits[fleet.ResourceGPU] = resource.MustParse("1")
		template.Annotations = map[string]string{fleet.AnnotationAccelerators: e.accelerator}
		template.Spec.SchedulerName = ""
	}
	if e.isComplete {
		limits[corev1.ResourceCPU], limits[corev1.ResourceMemory] =
			resource.MustParse("1"), resource.MustParse("1Gi")
		template.Spec.SchedulerName = releaseName
	}
	return template
}

// judge says what is wrong with where and how the errand's pod was placed.
func (e errand) judge(pod *corev1.Pod, nodes map[string]*corev1.Node) error {
	node := nodes[pod.Spec.NodeName]
	switch {
	case pod.Status.QOSClass != corev1.PodQOSGuaranteed:
		return fmt.Errorf("%s is %s", pod.Name, pod.Status.QOSClass)
	case e.accelerator == "":
		return nil
	case pod.Spec.SchedulerName != releaseName:
		return fmt.Errorf("%s was placed by %s", pod.Name, pod.Spec.SchedulerName)
	case node == nil:
		return fmt.Errorf("%s was placed on %s, which does not exist", pod.Name, pod.Spec.NodeName)
	case !strings.Contains(node.Labels[fleet.LabelProduct], e.accelerator):
		return fmt.Errorf("%s was placed on %s, which has %q", pod.Name, node.Name,
			node.Labels[fleet.LabelProduct])
	case slices.ContainsFunc(node.Status.Conditions, isLost):
		return fmt.Errorf("%s was placed on %s, which is broken", pod.Name, node.Name)
	}
	return nil
}

func isLost(condition corev1.NodeCondition) bool {
	return condition.Type == conditionLost && condition.Status == corev1.ConditionTrue
}
