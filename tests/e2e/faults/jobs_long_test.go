//go:build long

package faults

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"berth.dev/berth/tests/e2e/box"
	"berth.dev/berth/tests/e2e/fleet"
)

const (
	trainerImage = "trainer"
	jobNameLabel = "batch.kubernetes.io/job-name"
	checkpoint   = "berth.dev/checkpoint"
)

// trainer is the program of the Jobs. It goes on where the last line of its checkpoint ends, and does
// a step every half a second. What a fault of its node does to it a file says: it fails, or hangs.
// SIGTERM ends it.
const trainer = `#!/bin/sh
cd "$1" && job=$2
trap 'exit 143' TERM
step=$(tail -n 1 "$job.steps" 2>/dev/null | cut -d ' ' -f 1)
step=${step:-0}
while :; do
  fault=$(cat "$NODE.fault" 2>/dev/null)
  [ "$fault" != fails ] || exit 1
  if [ "$fault" != hangs ]; then
    step=$((step + 1))
    echo "$step $NODE" >>"$job.steps"
  fi
  sleep 0.5
done
`

// work is a folder with the checkpoints of the Jobs.
type work struct {
	*cluster
	folder  string
	program string
}

func newWork(c *cluster) work {
	c.Helper()
	w := work{cluster: c, folder: c.TempDir()}
	w.program = filepath.Join(w.folder, "trainer.sh")
	c.Check("write the trainer", os.WriteFile(w.program, []byte(trainer), 0o755))
	return w
}

// set says what the node's fault does to programs: "fails", "hangs", or "" where they go on.
func (w work) set(node, effect string) error {
	file := filepath.Join(w.folder, node+".fault")
	if effect == "" {
		return os.RemoveAll(file)
	}
	return os.WriteFile(file, []byte(effect), 0o644)
}

// step is a line of a checkpoint.
type step struct {
	number int
	node   string
}

// steps are those of a Job so far.
func (w work) steps(job string) []step {
	text, err := os.ReadFile(filepath.Join(w.folder, job+".steps"))
	if err != nil {
		return nil
	}
	var steps []step
	whole := text[:strings.LastIndexByte(string(text), '\n')+1]
	for line := range strings.Lines(string(whole)) {
		number, node, _ := strings.Cut(strings.TrimSpace(line), " ")
		at, _ := strconv.Atoi(number) // 0 is no step, and told as a gap
		steps = append(steps, step{at, node})
	}
	return steps
}

// elsewhere tells whether the Job has done a step on another node.
func (w work) elsewhere(job, node string) bool {
	steps := w.steps(job)
	return len(steps) > 0 && steps[len(steps)-1].node != node
}

// gap says where the Job has lost steps or done one twice; "" where it has not.
func (w work) gap(job string) string {
	for i, s := range w.steps(job) {
		if s.number != i+1 {
			return fmt.Sprintf("line %d of the checkpoint of %s is step %d on %s", i+1, job, s.number,
				s.node)
		}
	}
	return ""
}

// ask makes a pod that asks for a GPU, and for an adapter with it where that is what breaks.
func ask(name, model string, withRDMA bool) *corev1.Pod {
	pod := fleet.Ask{Name: name, Accelerators: []string{model}, Resource: fleet.ResourceGPU,
		Devices: 1, Cores: 1, MemoryGiB: 8}.Pod(name)
	if withRDMA {
		resources := &pod.Spec.Containers[0].Resources
		resources.Limits[rdma] = resource.MustParse("1")
		resources.Requests[rdma] = resource.MustParse("1")
	}
	return pod
}

// pinned is such a pod that fits one node alone.
func pinned(name, model string, withRDMA bool, node string) *corev1.Pod {
	pod := ask(name, model, withRDMA)
	pod.Spec.NodeSelector = map[string]string{corev1.LabelHostname: node}
	return pod
}

// createJob makes a Job of one pod with checkpoints and the retries that admission writes. Of two
// nodes it prefers the first, as one does where its data are.
func (c *cluster) createJob(name, model string, withRDMA bool, node, spare string) {
	c.Helper()
	pod := ask(name, model, withRDMA)
	pod.Annotations[checkpoint] = "true"
	pod.Spec.TerminationGracePeriodSeconds = new(int64(30))
	pod.Spec.AutomountServiceAccountToken = new(bool)
	container := &pod.Spec.Containers[0]
	container.Image = "registry.example/" + trainerImage + ":1"
	container.Args = []string{c.work.folder, name}
	container.Env = []corev1.EnvVar{{Name: "NODE", ValueFrom: &corev1.EnvVarSource{
		FieldRef: &corev1.ObjectFieldSelector{FieldPath: "spec.nodeName"}}}}
	isOneOf := func(nodes ...string) corev1.NodeSelectorTerm {
		return corev1.NodeSelectorTerm{MatchExpressions: []corev1.NodeSelectorRequirement{{
			Key: corev1.LabelHostname, Operator: corev1.NodeSelectorOpIn, Values: nodes}}}
	}
	pod.Spec.Affinity = &corev1.Affinity{NodeAffinity: &corev1.NodeAffinity{
		RequiredDuringSchedulingIgnoredDuringExecution: &corev1.NodeSelector{
			NodeSelectorTerms: []corev1.NodeSelectorTerm{isOneOf(node, spare)}},
		PreferredDuringSchedulingIgnoredDuringExecution: []corev1.PreferredSchedulingTerm{
			{Weight: 100, Preference: isOneOf(node)}}}}
	job := &batchv1.Job{ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec: batchv1.JobSpec{BackoffLimit: new(int32(6)), PodReplacementPolicy: new(batchv1.Failed),
			PodFailurePolicy: &batchv1.PodFailurePolicy{Rules: []batchv1.PodFailurePolicyRule{{
				Action: batchv1.PodFailurePolicyActionCount,
				OnPodConditions: []batchv1.PodFailurePolicyOnPodConditionsPattern{{
					Type: corev1.DisruptionTarget, Status: corev1.ConditionTrue}}}}},
			Template: corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{
				Labels: pod.Labels, Annotations: pod.Annotations}, Spec: pod.Spec}}}
	_, err := c.box.Client.BatchV1().Jobs(box.KubeletNamespace).Create(c.Context(), job,
		metav1.CreateOptions{})
	c.Check("create Job "+name, err)
}

// podsOf are those of a Job that are there, ended or not.
func (c *cluster) podsOf(job string) []corev1.Pod {
	c.Helper()
	list, err := c.box.Client.CoreV1().Pods(box.KubeletNamespace).List(c.Context(),
		metav1.ListOptions{LabelSelector: jobNameLabel + "=" + job})
	c.Check("list pods", err)
	return list.Items
}

// runsOn waits until the Job has done a step on the node.
func (c *cluster) runsOn(job, node string) {
	c.Helper()
	c.Await(job+" to run on "+node, func() bool {
		steps := c.work.steps(job)
		return len(steps) > 0 && steps[0].node == node
	})
}

// bound is the node of a pod of the default namespace, and when it had one; "" while it has none.
func (c *cluster) bound(pod *corev1.Pod) (string, time.Time) {
	c.Helper()
	got, err := c.box.Client.CoreV1().Pods(pod.Namespace).Get(c.Context(), pod.Name,
		metav1.GetOptions{})
	c.Check("get "+pod.Name, err)
	return got.Spec.NodeName, time.Now()
}
