package e2e

import (
	"context"
	"os/exec"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	schedulerconfig "k8s.io/kube-scheduler/config/v1"
	"sigs.k8s.io/yaml"

	"berth.dev/berth/tests/e2e/box"
	"berth.dev/berth/tests/e2e/fleet"
)

// wideNodes are those of a pool beside which the others are small. Where kube-scheduler samples its
// nodes, 100 or some more of them, a pod of the small pool finds no victim in four of five tries.
const wideNodes = 500

// noCandidate is what kube-scheduler says where Berth has refused every node of the sample.
const noCandidate = "no candidate node for preemption"

// Configured as `berth stanza` prints it, kube-scheduler asks Berth about all nodes on which a pod may
// preempt, and the first try is enough.
func TestPodOfASmallPoolPreemptsBesideALargeOne(t *testing.T) {
	w := fresh(t)
	w.configureByStanza()
	w.fill("mn2b-a30", "A30", 3, cheap)
	w.Await("Berth to know that the pool is full", func() bool {
		return w.metric("berth_accelerator_devices", `state="used"`) == 6*nodesPerPool
	})
	w.addFullPool(wideNodes)
	for range nodesPerPool {
		pod := w.ranked(dear, gpus(6, "A30"))
		w.expectOn("mn2b-a30", w.place(pod))
		for _, said := range w.refusals(pod) {
			if strings.Contains(said, noCandidate) {
				t.Errorf("%s waited although it could preempt: %s", pod.Name, said)
			}
		}
	}
}

// configureByStanza has kube-scheduler take the profiles that Berth prints, until the test ends.
func (w *world) configureByStanza() {
	w.Helper()
	berth, err := box.BerthBinary()
	w.Check("find berth", err)
	printed, err := exec.CommandContext(w.Context(), berth, "stanza", "--config", w.box.Berth.ConfigFile,
		"--url", "http://127.0.0.1:1", "--ca-file", "none", "--cert", "/crt", "--key", "/key").Output()
	w.Check("berth stanza", err)
	var stanza schedulerconfig.KubeSchedulerConfiguration
	w.Check("read the stanza", yaml.UnmarshalStrict(printed, &stanza))
	w.Check("configure kube-scheduler", w.box.ReconfigureScheduler(w.Context(),
		func(config *schedulerconfig.KubeSchedulerConfiguration) {
			config.Profiles = stanza.Profiles
		}))
	w.Cleanup(func() { _ = w.box.ReconfigureScheduler(context.Background(), nil) })
}

// addFullPool adds nodes with V100 of which pods of low priority hold every device, until the test ends.
func (w *world) addFullPool(nodes int) {
	w.Helper()
	pool := fleet.Small(nodes)[0]
	pool.Name = "wide"
	ofPool := metav1.ListOptions{LabelSelector: fleet.LabelPool + "=" + pool.Name}
	client := w.box.Client.CoreV1()
	w.Cleanup(func() {
		_ = client.Pods(metav1.NamespaceDefault).DeleteCollection(context.Background(),
			metav1.DeleteOptions{GracePeriodSeconds: new(int64)}, metav1.ListOptions{})
		_ = client.Nodes().DeleteCollection(context.Background(), metav1.DeleteOptions{}, ofPool)
	})
	before := w.metric("berth_accelerator_devices", `state="used"`)
	w.Check("create nodes", fleet.CreateNodes(w.Context(), w.box.Client, []fleet.Pool{pool}))
	class := w.ranked(cheap, gpus(pool.Devices, "V100")).Spec.PriorityClassName
	pods := make([]*corev1.Pod, nodes)
	for index := range pods {
		pods[index] = gpus(pool.Devices, "V100")
		pods[index].Spec.PriorityClassName = class
		pods[index].Spec.NodeName = pool.NodeName(index)
	}
	w.Check("fill the nodes", fleet.CreatePods(w.Context(), w.box.Client, pods))
	w.Await("Berth to know that they are full", func() bool {
		return w.metric("berth_accelerator_devices", `state="used"`)-before ==
			float64(int64(nodes)*pool.Devices)
	})
}

// refusals are what kube-scheduler has said so far of why it found no node for the pod.
func (w *world) refusals(pod *corev1.Pod) []string {
	w.Helper()
	events, err := w.box.Client.CoreV1().Events(pod.Namespace).List(w.Context(),
		metav1.ListOptions{FieldSelector: fields.Set{
			"involvedObject.name": pod.Name, "reason": "FailedScheduling"}.String()})
	w.Check("list events", err)
	var said []string
	for _, event := range events.Items {
		said = append(said, event.Message)
	}
	return said
}
