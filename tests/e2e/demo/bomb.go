package main

import (
	"context"
	"fmt"
	"io"
	"sync"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"berth.dev/berth/tests/e2e/box"
	"berth.dev/berth/tests/e2e/fleet"
)

const (
	bombNamespace = "research"
	bombTimeout   = time.Minute

	memoryPressure = `{"spec":{"taints":[
		{"key":"node.kubernetes.io/memory-pressure","effect":"NoSchedule"}]}}`
)

// bomb is the story of a Job that runs out of memory wherever it runs.
type bomb struct {
	pods     int // that were killed
	nodes    int // that they were killed on
	ended    string
	warnings []string // that its author got to see
}

// bombJob is what many write first: retries are the default, 6, and memory has no limit.
func bombJob() *batchv1.Job {
	return &batchv1.Job{
		ObjectMeta: metav1.ObjectMeta{Name: "bomb", Namespace: bombNamespace},
		Spec: batchv1.JobSpec{Template: corev1.PodTemplateSpec{
			ObjectMeta: metav1.ObjectMeta{
				Annotations: map[string]string{fleet.FateAnnotation: fleet.FateOOMKilled},
			},
			Spec: corev1.PodSpec{
				RestartPolicy: corev1.RestartPolicyNever,
				Containers: []corev1.Container{{
					Name: "train", Image: "registry.example/train:1",
					Resources: corev1.ResourceRequirements{Limits: corev1.ResourceList{
						fleet.ResourceGPU: resource.MustParse("1"),
					}},
				}},
			},
		}},
	}
}

// playBomb creates the Job as its author would and counts what became of it when the Job controller
// has given up.
func (c *column) playBomb(ctx context.Context) (bomb, error) {
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{
		Name: bombNamespace, Labels: map[string]string{box.LabelAdmission: "enforce"},
	}}
	_, err := c.box.Client.CoreV1().Namespaces().Create(ctx, namespace, metav1.CreateOptions{})
	if err != nil {
		return bomb{}, err
	}
	warnings, err := c.createAsAuthor(ctx, bombJob())
	if err != nil {
		return bomb{}, err
	}
	story := bomb{warnings: warnings}
	err = box.Poll(ctx, bombTimeout, "the end of the Job bomb", func(ctx context.Context) (bool, error) {
		return story.ended != "", c.follow(ctx, &story)
	})
	return story, err
}

// follow brings the story up to date, and the nodes with it.
func (c *column) follow(ctx context.Context, story *bomb) error {
	job, err := c.box.Client.BatchV1().Jobs(bombNamespace).Get(ctx, "bomb", metav1.GetOptions{})
	if err != nil {
		return err
	}
	pods, err := c.box.Client.CoreV1().Pods(bombNamespace).List(ctx, metav1.ListOptions{})
	if err != nil {
		return err
	}
	story.ended = failure(job)
	story.count(pods.Items)
	return c.press(ctx, pods.Items)
}

// press taints the nodes whose memory the pods used up, as Kubernetes does for five minutes. A pod
// with a limit is killed when it reaches that, and its node has memory left.
func (c *column) press(ctx context.Context, pods []corev1.Pod) error {
	for i := range pods {
		pod := &pods[i]
		_, limited := pod.Spec.Containers[0].Resources.Limits[corev1.ResourceMemory]
		if limited || pod.Status.Phase != corev1.PodFailed {
			continue
		}
		_, err := c.box.Client.CoreV1().Nodes().Patch(ctx, pod.Spec.NodeName,
			types.StrategicMergePatchType, []byte(memoryPressure), metav1.PatchOptions{})
		if err != nil {
			return err
		}
	}
	return nil
}

// createAsAuthor creates a Job and returns the warnings that come with the answer, as kubectl
// prints them.
func (c *column) createAsAuthor(ctx context.Context, job *batchv1.Job) ([]string, error) {
	heard := &warnings{}
	config := rest.CopyConfig(c.box.Config)
	config.WarningHandler = heard
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return nil, err
	}
	_, err = client.BatchV1().Jobs(job.Namespace).Create(ctx, job, metav1.CreateOptions{})
	return heard.texts, err
}

func failure(job *batchv1.Job) string {
	for _, condition := range job.Status.Conditions {
		if condition.Type == batchv1.JobFailed && condition.Status == corev1.ConditionTrue {
			return condition.Reason
		}
	}
	return ""
}

func (b *bomb) count(pods []corev1.Pod) {
	nodes := map[string]bool{}
	b.pods = 0
	for i := range pods {
		if pods[i].Status.Phase == corev1.PodFailed {
			b.pods++
			nodes[pods[i].Spec.NodeName] = true
		}
	}
	b.nodes = len(nodes)
}

// printEnd says what became of the bomb.
func printEnd(out io.Writer, story bomb) {
	fmt.Fprintf(out, "a Job without limits ran out of memory, pods: %d, nodes: %d, then %s\n",
		story.pods, story.nodes, story.ended)
}

// printBomb shows what the author of the bomb got to read.
func printBomb(out io.Writer, story bomb) {
	fmt.Fprintln(out, "\nWhat the author of the Job without limits read when creating it:")
	for _, warning := range story.warnings {
		fmt.Fprintf(out, "  Warning: %s\n", warning)
	}
}

// warnings collects what kube-apiserver tells a client beside its answer.
type warnings struct {
	mu    sync.Mutex
	texts []string
}

func (w *warnings) HandleWarningHeader(_ int, _ string, text string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.texts = append(w.texts, text)
}
