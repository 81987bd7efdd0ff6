//go:build cluster

package node

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"berth.dev/berth/tests/e2e/box"
	"berth.dev/berth/tests/e2e/fleet"
)

const releaseSelector = "app.kubernetes.io/instance=berth"

// Probes are kubelet's, Services kube-proxy's, names CoreDNS's, and the image's are user and files.
func TestEveryPodIsReady(t *testing.T) {
	w := enter(t)
	pods := w.pods(namespace, releaseSelector)
	if len(pods) != 2*len(components) {
		t.Errorf("%d pods, want two of each of %v", len(pods), components)
	}
	for _, pod := range pods {
		if !isReady(&pod) || pod.Spec.NodeName != Name {
			t.Errorf("%s is on %s, ready: %v", pod.Name, pod.Spec.NodeName, isReady(&pod))
		}
	}
}

func TestHelmTestPasses(t *testing.T) {
	w := enter(t)
	said, err := shared.Helm(t.Context(), "test", "berth", "--timeout", "2m")
	w.Check("helm test\n"+said, err)
}

// What the chart asks for the kernel has been told.
func TestProgramsAreConfined(t *testing.T) {
	w := enter(t)
	for _, subcommand := range []string{"admission", "controller", "extender"} {
		for _, pid := range w.programs(subcommand) {
			status := w.proc(pid, "status")
			for _, want := range []string{"Uid:\t65532\t65532\t65532\t65532\n", "Gid:\t65532\t",
				"CapEff:\t0000000000000000\n", "NoNewPrivs:\t1\n", "Seccomp:\t2\n"} {
				if !strings.Contains(status, want) {
					t.Errorf("%s has no %q in\n%s", subcommand, want, status)
				}
			}
			if !strings.Contains(w.proc(pid, "mountinfo"), " / / ro,") {
				t.Errorf("%s may write to its root", subcommand)
			}
		}
	}
}

// A pod without accelerators runs on the node; one with them goes where Berth's scheduler says.
func TestJobsGoThroughWebhookAndScheduler(t *testing.T) {
	w := enter(t)
	team := "team"
	w.Check("create "+team, shared.CreateNamespace(t.Context(), team,
		map[string]string{box.LabelAdmission: "enforce"}))
	w.createJob(team, "cpu", corev1.ResourceList{
		corev1.ResourceCPU:    resource.MustParse("100m"),
		corev1.ResourceMemory: resource.MustParse("64Mi"),
	}, map[string]string{box.LabelRealNode: "true"})
	w.createJob(team, "gpu", corev1.ResourceList{fleet.ResourceGPU: resource.MustParse("1")}, nil)

	w.Await("the CPU Job to complete", func() bool {
		job, err := shared.Client.BatchV1().Jobs(team).Get(t.Context(), "cpu", metav1.GetOptions{})
		w.Check("get the Job", err)
		return job.Status.Succeeded == 1
	})
	var placed corev1.Pod
	w.Await("the GPU pod to be placed", func() bool {
		pods := w.pods(team, "job-name=gpu")
		if len(pods) == 1 {
			placed = pods[0]
		}
		return placed.Spec.NodeName != ""
	})
	if placed.Spec.SchedulerName != "berth" || placed.Status.QOSClass != corev1.PodQOSGuaranteed {
		t.Errorf("placed by %s as %s, want berth and Guaranteed", placed.Spec.SchedulerName,
			placed.Status.QOSClass)
	}
}

// kubelet starts what was killed again, and it serves.
func TestKilledProgramsComeBack(t *testing.T) {
	w := enter(t)
	for _, subcommand := range []string{"admission", "controller", "extender"} {
		before := w.restarts()
		for _, pid := range w.programs(subcommand) {
			w.Check("kill "+subcommand, syscall.Kill(pid, syscall.SIGKILL))
		}
		w.Await(subcommand+" to be started again", func() bool { return w.restarts() >= before+2 })
		w.Await("all pods to be ready", func() bool {
			return !slices.ContainsFunc(w.pods(namespace, releaseSelector),
				func(pod corev1.Pod) bool { return !isReady(&pod) })
		})
	}
}

func (w *world) createJob(
	namespace, name string, limits corev1.ResourceList, nodes map[string]string,
) {
	w.Helper()
	_, err := shared.Client.BatchV1().Jobs(namespace).Create(w.Context(), &batchv1.Job{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec: batchv1.JobSpec{Template: corev1.PodTemplateSpec{Spec: corev1.PodSpec{
			RestartPolicy: corev1.RestartPolicyNever,
			NodeSelector:  nodes,
			Containers: []corev1.Container{{Name: "main", Image: ours.image(),
				ImagePullPolicy: corev1.PullNever, Command: []string{"berth", "version"},
				Resources: corev1.ResourceRequirements{Limits: limits}}},
		}}},
	}, metav1.CreateOptions{})
	w.Check("create Job "+name, err)
}

// programs are the processes of one of Berth's subcommands, of which there are two.
func (w *world) programs(subcommand string) []int {
	w.Helper()
	pids := w.processes("berth", subcommand)
	if len(pids) != 2 {
		w.Fatalf("%d processes of berth %s, want 2", len(pids), subcommand)
	}
	return pids
}

// processes are those that were started by these words and maybe more.
func (w *world) processes(words ...string) []int {
	w.Helper()
	commands, err := filepath.Glob("/proc/[0-9]*/cmdline")
	w.Check("list processes", err)
	var pids []int
	for _, path := range commands {
		content, err := os.ReadFile(path)
		if err != nil || !strings.HasPrefix(string(content), strings.Join(words, "\x00")+"\x00") {
			continue // gone, or somebody else
		}
		pid, err := strconv.Atoi(filepath.Base(filepath.Dir(path)))
		w.Check("read "+path, err)
		pids = append(pids, pid)
	}
	return pids
}

func (w *world) proc(pid int, file string) string {
	w.Helper()
	content, err := os.ReadFile(fmt.Sprintf("/proc/%d/%s", pid, file))
	w.Check("read "+file, err)
	return string(content)
}

// restarts are those of all of Berth's containers so far.
func (w *world) restarts() int32 {
	w.Helper()
	var all int32
	for _, pod := range w.pods(namespace, releaseSelector) {
		for _, container := range pod.Status.ContainerStatuses {
			all += container.RestartCount
		}
	}
	return all
}

func isReady(pod *corev1.Pod) bool {
	return slices.ContainsFunc(pod.Status.Conditions, func(c corev1.PodCondition) bool {
		return c.Type == corev1.PodReady && c.Status == corev1.ConditionTrue
	})
}
