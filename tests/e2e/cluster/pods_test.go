package main

import (
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"berth.dev/berth/tests/e2e/fleet"
	"berth.dev/berth/tests/e2e/node"
)

// placed is a pod that asks for so many GPUs and is where Berth would have had it placed.
func placed(name, node, gpus string) corev1.Pod {
	list := corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("50m")}
	scheduler := "default-scheduler"
	if gpus != "0" {
		list[fleet.ResourceGPU] = resource.MustParse(gpus)
		scheduler = "berth"
	}
	return corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: name,
			Annotations: map[string]string{fleet.AnnotationAccelerators: "A100"}},
		Spec: corev1.PodSpec{NodeName: node, SchedulerName: scheduler, Containers: []corev1.Container{
			{Resources: corev1.ResourceRequirements{Requests: list, Limits: list}}}},
		Status: corev1.PodStatus{QOSClass: corev1.PodQOSGuaranteed},
	}
}

func TestPodsAreShownInColumns(t *testing.T) {
	pods := []corev1.Pod{
		placed("prepare", node.Name, "0"), placed("train", "mn2b-a100-010", "2"), placed("next", "", "1"),
	}
	pods[0].Status.PodIP = "10.244.0.9"
	pods[0].Spec.Containers = append(pods[0].Spec.Containers, pods[0].Spec.Containers[0])
	var said strings.Builder
	writePods(&said, pods)
	const want = `
POD       ASKS FOR   NODE                   ADDRESS      PLACED BY           QOS
prepare   100m cpu   real                   10.244.0.9   default-scheduler   Guaranteed
train     2 x A100   mn2b-a100-010 (KWOK)   -            berth               Guaranteed
next      1 x A100   none yet               -            berth               Guaranteed
`
	if got := "\n" + said.String(); got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
}

func TestHintsNameWhatIsThere(t *testing.T) {
	from := time.Date(2026, 6, 1, 12, 30, 14, 500, time.Local)
	all := sights{entrance: "/tmp/enter", waiting: "large-x7k2p", idleFrom: from,
		boardURL: "http://127.0.0.1:40000/#3f9c", prometheus: "http://127.0.0.1:10300"}
	var said strings.Builder
	writeHints(&said, all)
	const want = `
To see nodes, devices and what waits, open http://127.0.0.1:40000/#3f9c in a browser on this machine (from another one: docs/board.md).
From another terminal, as root:
  /tmp/enter kubectl get pods -A -o wide                                          # all pods
  /tmp/enter kubectl berth explain -n research large-x7k2p                        # why this pod waits
  /tmp/enter kubectl berth capacity                                               # which devices are free, and which are broken
  /tmp/enter kubectl berth who                                                    # who holds devices
  /tmp/enter kubectl berth idle --prometheus http://127.0.0.1:10300 --window 1m   # who does not use them: known from 12:30:15 on
  /tmp/enter kubectl berth gangs -A                                               # which pods wait for each other: none yet
  /tmp/enter kubectl berth report                                                 # what would change if all namespaces enforced
  /tmp/enter berth doctor                                                         # whether all of it works
  /tmp/enter
`
	if got := "\n" + said.String(); got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
	said.Reset()
	all.boardURL = ""
	writeHints(&said, all)
	if strings.Contains(said.String(), "berth") || !strings.Contains(said.String(), "get pods") {
		t.Errorf("without Berth's program: %s", said.String())
	}
}

// A series for each device, and none of pods that hold no device or do not run yet.
func TestDevicesAreMeasuredAsDCGMExporterDoes(t *testing.T) {
	pods := []corev1.Pod{
		placed("prepare", node.Name, "0"), placed("train", "mn2b-a100-010", "2"), placed("next", "", "1"),
	}
	for i := range pods[:2] {
		pods[i].Namespace, pods[i].UID, pods[i].Status.Phase = namespace, "1b2c", corev1.PodRunning
		pods[i].Spec.Containers[0].Name = "main"
	}
	var said strings.Builder
	writeUtilization(&said, pods)
	const want = `
# HELP DCGM_FI_DEV_GPU_UTIL GPU utilization (in %).
# TYPE DCGM_FI_DEV_GPU_UTIL gauge
DCGM_FI_DEV_GPU_UTIL{gpu="0",UUID="GPU-1b2c-0",device="nvidia0",Hostname="mn2b-a100-010",container="main",namespace="research",pod="train"} 0
DCGM_FI_DEV_GPU_UTIL{gpu="1",UUID="GPU-1b2c-1",device="nvidia1",Hostname="mn2b-a100-010",container="main",namespace="research",pod="train"} 0
`
	if got := "\n" + said.String(); got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
}

func TestPodsAreRefusedOnceKubeSchedulerSaysSo(t *testing.T) {
	pod := placed("large", "", "8")
	if isRefused(&pod) {
		t.Error("a pod of which nothing is said yet is refused")
	}
	pod.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodScheduled,
		Status: corev1.ConditionFalse, Reason: corev1.PodReasonUnschedulable}}
	if !isRefused(&pod) {
		t.Error("a pod that fits no node is not refused")
	}
	pod.Status.Conditions[0].Status = corev1.ConditionTrue
	if isRefused(&pod) {
		t.Error("a pod that has a node is refused")
	}
}

func TestJudge(t *testing.T) {
	s := &show{broken: map[string]bool{"broken": true}}
	cases := []struct {
		name string
		pod  corev1.Pod
		do   func(*corev1.Pod)
		want string // of the error; empty: none
	}{
		{"GPU", placed("train", "well", "1"), nil, ""},
		{"no GPU", placed("prepare", node.Name, "0"), nil, ""},
		{"broken node", placed("train", "broken", "1"), nil, "train is on broken"},
		{"other scheduler", placed("train", "well", "1"),
			func(p *corev1.Pod) { p.Spec.SchedulerName = "default-scheduler" }, "by default-scheduler"},
		{"no webhook", placed("prepare", node.Name, "0"),
			func(p *corev1.Pod) { p.Status.QOSClass = corev1.PodQOSBurstable }, "prepare is Burstable"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			if c.do != nil {
				c.do(&c.pod)
			}
			err := s.judge([]corev1.Pod{placed("first", "well", "1"), c.pod})
			if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want %q", err, c.want)
			}
		})
	}
}
