//go:build cluster

package node

import (
	"context"
	"encoding/json"
	"fmt"
	"os/exec"
	"slices"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"berth.dev/berth/tests/e2e/box"
	"berth.dev/berth/tests/e2e/fleet"
)

const (
	checkpointAnnotation = "berth.dev/checkpoint"
	devices              = 4
	someone              = 65532 // user and group of trainers
	scratch              = "/scratch"
)

// team is a namespace in which people train on the real node.
type team struct {
	*world
	namespace string
}

// team makes a namespace of a mode of admission. It is deleted when the test ends, and gone soon
// afterwards.
func (w *world) team(name, mode string) *team {
	w.Helper()
	w.Check("create "+name, shared.CreateNamespace(w.Context(), name,
		map[string]string{box.LabelAdmission: mode}))
	w.Cleanup(func() {
		w.Check("delete "+name, shared.Client.CoreV1().Namespaces().Delete(context.Background(), name,
			metav1.DeleteOptions{}))
	})
	return &team{w, name}
}

// teams are two with devices to ask for: one with Berth's admission, one whose pods stay as they
// were written.
func (w *world) teams(name string) (enforced, asWritten *team) {
	w.Helper()
	w.giveDevices()
	return w.team(name, "enforce"), w.team(name+"-as-written", "off")
}

// giveDevices lets the real node have what the policies for accelerators ask about. Kubelet keeps
// what somebody else has written, and counts it (MachineInfo in
// k8s.io/kubernetes/pkg/kubelet/nodestatus/setters.go, v1.36.3).
func (w *world) giveDevices() {
	w.Helper()
	w.Check("give devices", fleet.SetDevices(w.Context(), shared.Client, Name, fleet.ResourceGPU,
		devices))
	w.Cleanup(func() {
		none := map[string]any{fleet.ResourceGPU: nil}
		patch, _ := json.Marshal(map[string]any{ // of strings alone
			"status": map[string]any{"capacity": none, "allocatable": none}})
		_, err := shared.Client.CoreV1().Nodes().Patch(context.Background(), Name,
			types.StrategicMergePatchType, patch, metav1.PatchOptions{}, "status")
		w.Check("take the devices away", err)
	})
}

// trainer is a pod on the real node that asks for a device and runs trainer/, not as root.
func trainer(annotations map[string]string, arguments ...string) corev1.PodTemplateSpec {
	return corev1.PodTemplateSpec{
		ObjectMeta: metav1.ObjectMeta{Annotations: annotations},
		Spec: corev1.PodSpec{
			RestartPolicy:                 corev1.RestartPolicyNever,
			NodeSelector:                  map[string]string{box.LabelRealNode: "true"},
			TerminationGracePeriodSeconds: new(int64(1)),
			SecurityContext: &corev1.PodSecurityContext{RunAsNonRoot: new(true),
				RunAsUser: new(int64(someone)), RunAsGroup: new(int64(someone)),
				FSGroup: new(int64(someone))},
			Containers: []corev1.Container{{
				Name: "main", Image: trainerImage, ImagePullPolicy: corev1.PullNever, Args: arguments,
				Resources: corev1.ResourceRequirements{Limits: corev1.ResourceList{
					fleet.ResourceGPU:     resource.MustParse("1"),
					corev1.ResourceCPU:    resource.MustParse("100m"),
					corev1.ResourceMemory: resource.MustParse("64Mi"),
				}},
			}},
		},
	}
}

func (t *team) start(name string, template corev1.PodTemplateSpec, change func(*batchv1.JobSpec)) {
	t.Helper()
	job := &batchv1.Job{ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec: batchv1.JobSpec{Template: template}}
	if change != nil {
		change(&job.Spec)
	}
	_, err := shared.Client.BatchV1().Jobs(t.namespace).Create(t.Context(), job,
		metav1.CreateOptions{})
	t.Check("create Job "+name, err)
}

// awaitEnd returns the pods of a Job that has come to the end that is expected, the first one first.
func (t *team) awaitEnd(job string, end batchv1.JobConditionType) []corev1.Pod {
	t.Helper()
	t.Await(fmt.Sprintf("Job %s/%s to be %s", t.namespace, job, end), func() bool {
		got, err := shared.Client.BatchV1().Jobs(t.namespace).Get(t.Context(), job,
			metav1.GetOptions{})
		t.Check("get the Job", err)
		return slices.ContainsFunc(got.Status.Conditions, func(c batchv1.JobCondition) bool {
			return c.Type == end && c.Status == corev1.ConditionTrue
		})
	})
	return t.podsOf(job)
}

// awaitFailure returns the pods of a Job that fails, of which there should be so many.
func (t *team) awaitFailure(job string, count int) []corev1.Pod {
	t.Helper()
	pods := t.awaitEnd(job, batchv1.JobFailed)
	if len(pods) != count {
		t.Errorf("%s/%s has had %d pods, want %d", t.namespace, job, len(pods), count)
	}
	return pods
}

// podsOf are the pods of a Job, the first one first.
func (t *team) podsOf(job string) []corev1.Pod {
	t.Helper()
	pods := t.pods(t.namespace, batchv1.JobNameLabel+"="+job)
	slices.SortFunc(pods, func(a, b corev1.Pod) int {
		return a.CreationTimestamp.Compare(b.CreationTimestamp.Time)
	})
	return pods
}

// run creates a pod on its own, and returns it when its program has begun.
func (t *team) run(name string, template corev1.PodTemplateSpec) *corev1.Pod {
	t.Helper()
	pods := shared.Client.CoreV1().Pods(t.namespace)
	template.ObjectMeta.Name = name
	created, err := pods.Create(t.Context(),
		&corev1.Pod{ObjectMeta: template.ObjectMeta, Spec: template.Spec}, metav1.CreateOptions{})
	t.Check("create pod "+name, err)
	t.Await(name+" to begin", func() bool {
		said, err := pods.GetLogs(name, &corev1.PodLogOptions{}).DoRaw(t.Context())
		return err == nil && len(said) > 0
	})
	created, err = pods.Get(t.Context(), name, metav1.GetOptions{})
	t.Check("get pod "+name, err)
	return created
}

// terminated is how the program of a pod has ended; nil while it has not.
func terminated(pod *corev1.Pod) *corev1.ContainerStateTerminated {
	if len(pod.Status.ContainerStatuses) != 1 {
		return nil
	}
	return pod.Status.ContainerStatuses[0].State.Terminated
}

// kubectl is run as an administrator would.
func kubectl(ctx context.Context, arguments ...string) error {
	program, err := box.Program("kubectl")
	if err != nil {
		return err
	}
	command := exec.CommandContext(ctx, program,
		append([]string{"--kubeconfig", shared.Kubeconfig}, arguments...)...)
	if said, err := command.CombinedOutput(); err != nil {
		return fmt.Errorf("kubectl %s: %w\n%s", arguments[0], err, said)
	}
	return nil
}
