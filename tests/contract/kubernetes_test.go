package contract

import (
	"testing"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	podutil "k8s.io/kubernetes/pkg/api/pod"
	"k8s.io/kubernetes/pkg/apis/batch"
	_ "k8s.io/kubernetes/pkg/apis/batch/install"
	batchvalidation "k8s.io/kubernetes/pkg/apis/batch/validation"
	"k8s.io/kubernetes/pkg/apis/core"
	_ "k8s.io/kubernetes/pkg/apis/core/install"
	"k8s.io/kubernetes/pkg/apis/core/v1/helper/qos"
	corevalidation "k8s.io/kubernetes/pkg/apis/core/validation"
)

// What kube-apiserver does to objects before and after webhooks, by its own code.

// defaults fills in what a user left out, as happens before webhooks are asked.
func defaults(object runtime.Object) { legacyscheme.Scheme.Default(object) }

// isGuaranteed tells it of a pod's spec, or of a template's: only when it is a pod's does a limit
// count for a request that is missing.
func isGuaranteed(spec corev1.PodSpec) bool {
	pod := &corev1.Pod{Spec: *spec.DeepCopy()}
	defaults(pod)
	return qos.ComputePodQOS(pod) == corev1.PodQOSGuaranteed
}

// invalidPod is what keeps kube-apiserver from storing the pod, nothing if it would.
func invalidPod(t *testing.T, pod *corev1.Pod) field.ErrorList {
	t.Helper()
	var internal core.Pod
	if err := legacyscheme.Scheme.Convert(pod, &internal, nil); err != nil {
		t.Fatal(err)
	}
	internal.UID, internal.CreationTimestamp = "uid", metav1.Now()
	options := podutil.GetValidationOptionsFromPodSpecAndMeta(&internal.Spec, nil, &internal.ObjectMeta, nil)
	return corevalidation.ValidatePodCreate(&internal, options)
}

// invalidJob is what keeps kube-apiserver from storing the Job, nothing if it would.
func invalidJob(t *testing.T, job *batchv1.Job) field.ErrorList {
	t.Helper()
	var internal batch.Job
	if err := legacyscheme.Scheme.Convert(job, &internal, nil); err != nil {
		t.Fatal(err)
	}
	internal.UID, internal.CreationTimestamp = "uid", metav1.Now()
	// Written by kube-apiserver itself, after webhooks.
	internal.Spec.Selector = &metav1.LabelSelector{
		MatchLabels: map[string]string{batchv1.ControllerUidLabel: "uid"}}
	labels := map[string]string{
		batchv1.ControllerUidLabel: "uid", batchv1.JobNameLabel: job.Name,
		"controller-uid": "uid", "job-name": job.Name,
	}
	for key, value := range internal.Spec.Template.Labels {
		labels[key] = value
	}
	internal.Spec.Template.Labels = labels
	options := batchvalidation.JobValidationOptions{
		PodValidationOptions:  podutil.GetValidationOptionsFromPodTemplate(&internal.Spec.Template, nil),
		RequirePrefixedLabels: true,
	}
	return batchvalidation.ValidateJob(&internal, options)
}
