package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"berth.dev/berth/tests/bench/lists"
	"berth.dev/berth/tests/e2e/fleet"
)

// podsPerOwner is how many pods a Job or ReplicaSet has.
const podsPerOwner = 8

// listWriter writes a List as kubectl does.
type listWriter struct {
	out   *bufio.Writer
	count int
	err   error
}

func newListWriter(out io.Writer) *listWriter {
	w := &listWriter{out: bufio.NewWriterSize(out, 1<<20)}
	_, w.err = w.out.WriteString("{\n    \"apiVersion\": \"v1\",\n    \"items\": [\n        ")
	return w
}

func (w *listWriter) add(object any) {
	if w.err != nil {
		return
	}
	text, err := json.MarshalIndent(object, "        ", "    ")
	if err != nil {
		w.err = err
		return
	}
	if w.count++; w.count > 1 {
		_, w.err = w.out.WriteString(",\n        ")
	}
	if w.err == nil {
		_, w.err = w.out.Write(text)
	}
}

func (w *listWriter) close() error {
	if w.err == nil {
		_, w.err = w.out.WriteString("\n    ],\n    \"kind\": \"List\",\n    \"metadata\": {\n" +
			"        \"resourceVersion\": \"\"\n    }\n}\n")
	}
	if w.err == nil {
		w.err = w.out.Flush()
	}
	return w.err
}

// writeDump writes a cluster of so many nodes and pods, with a Job or a ReplicaSet for every few
// pods, of which the Jobs are in the dump, too.
func writeDump(out io.Writer, nodes, pods int) (int, error) {
	cluster, err := lists.ClusterOf(fleet.Scaled(nodes), pods)
	if err != nil {
		return 0, err
	}
	w := newListWriter(out)
	for node := range cluster.Nodes {
		node.TypeMeta = metav1.TypeMeta{APIVersion: "v1", Kind: "Node"}
		node.ManagedFields = nil // kubectl does not show them
		w.add(node)
	}
	namespaces := map[string]bool{}
	var jobs []*batchv1.Job
	number := 0
	for pod := range cluster.Pods {
		owned := ownedPod(pod, number)
		if !namespaces[owned.Namespace] {
			namespaces[owned.Namespace] = true
			w.add(namespaceOf(owned.Namespace))
		}
		if job := jobOf(owned, number); job != nil {
			jobs = append(jobs, job)
		}
		w.add(owned)
		number++
	}
	for _, job := range jobs {
		w.add(job)
	}
	return w.count, w.close()
}

func namespaceOf(name string) *corev1.Namespace {
	return &corev1.Namespace{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Namespace"},
		ObjectMeta: metav1.ObjectMeta{Name: name,
			Labels: map[string]string{corev1.LabelMetadataName: name}}}
}

// ownedPod is the pod with an owner that others share, and with resources as people write them:
// complete, without limits, with requests below the limits, or none.
func ownedPod(pod *corev1.Pod, number int) *corev1.Pod {
	own := pod.DeepCopy()
	own.TypeMeta = metav1.TypeMeta{APIVersion: "v1", Kind: "Pod"}
	own.ManagedFields = nil
	owner := &own.OwnerReferences[0]
	group := number / podsPerOwner
	own.Namespace = fmt.Sprintf("team-%02d", group%50)
	owner.UID = types.UID(fmt.Sprintf("7d1c1d0e-0000-4000-8000-%012x", group))
	owner.Name = fmt.Sprintf("train-%06d", group)
	if group%4 == 3 {
		owner.APIVersion, owner.Kind = "apps/v1", "ReplicaSet"
	}
	resources := &own.Spec.Containers[0].Resources
	switch group % 5 {
	case 1:
		delete(resources.Limits, corev1.ResourceMemory)
		delete(resources.Requests, corev1.ResourceMemory)
	case 2:
		resources.Requests[corev1.ResourceMemory] = resource.MustParse("8Gi")
	case 3:
		delete(resources.Limits, corev1.ResourceCPU)
		delete(resources.Limits, corev1.ResourceMemory)
		delete(resources.Requests, corev1.ResourceCPU)
		delete(resources.Requests, corev1.ResourceMemory)
	}
	return own
}

// jobOf is the Job that owns the pod, if it does and the pod is its first.
func jobOf(pod *corev1.Pod, number int) *batchv1.Job {
	owner := pod.OwnerReferences[0]
	if owner.Kind != "Job" || number%podsPerOwner != 0 {
		return nil
	}
	count := int32(podsPerOwner)
	return &batchv1.Job{TypeMeta: metav1.TypeMeta{APIVersion: "batch/v1", Kind: "Job"},
		ObjectMeta: metav1.ObjectMeta{Name: owner.Name, Namespace: pod.Namespace, UID: owner.UID},
		Spec: batchv1.JobSpec{Parallelism: &count, Completions: &count, BackoffLimit: new(int32(6)),
			Template: corev1.PodTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{Labels: pod.Labels, Annotations: pod.Annotations},
				Spec:       pod.Spec}}}
}
