//go:build long

package e2e

import (
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"

	"berth.dev/berth/tests/e2e/detector"
)

const (
	// How often the probes run here, and how long they may take. The defaults are 1m and 20s.
	probeInterval = time.Second
	probeTimeout  = 2 * time.Second
)

// A node's GPUs fail, hang and come back, as sysfs and nvidia-smi tell of them; the rest is real:
// `berth probe`, node-problem-detector, kube-apiserver, Berth and kube-scheduler.
func TestNodeProblemDetectorRunsProbesOfGPUs(t *testing.T) {
	w := fresh(t)
	d := w.detector(nodesOf("mn2a")[0], "gpu-lost", "pending-page")
	d.Check("add GPUs", errors.Join(d.AddGPU(detector.FirstGPU), d.AddGPU(detector.SecondGPU)))
	d.answer("No")

	d.step("the detector starts, all is well", func() { d.start() },
		d.rewritten("GPUIsLost"), is("GPUIsLost", corev1.ConditionFalse, "all GPUs answer"),
		is("GPUPendingPage", corev1.ConditionFalse, "no page is pending"))

	d.step("a GPU falls off the bus", func() { d.answers(false) },
		is("GPUIsLost", corev1.ConditionTrue, "0000:86:00.0 does not answer on the PCI bus"),
		has("GPUIsLost", "Exclude"))
	waiting := d.refused("GPUIsLost")

	before := len(d.history("GPUIsLost"))
	restarted := d.step("the detector is killed and starts again", func() {
		d.Kill()
		d.start()
	}, d.rewritten("GPUIsLost"), has("GPUIsLost", "Exclude"))
	for _, status := range d.history("GPUIsLost")[before:] {
		if status != corev1.ConditionTrue {
			t.Errorf("GPUIsLost became %s when the detector started again at %s", status, restarted)
		}
	}
	d.refused("GPUIsLost")

	d.step("the GPU is back", func() { d.answers(true) },
		is("GPUIsLost", corev1.ConditionFalse, "all GPUs answer"), hasNot("GPUIsLost", "Exclude"),
		func(d *probed) bool { return w.nodeOf(waiting) == d.Node })

	d.step("nvidia-smi hangs and ignores SIGTERM", func() { d.nvidiaSmi(detector.Hanging) },
		is("GPUIsLost", corev1.ConditionTrue, "nvidia-smi "),
		is("GPUPendingPage", corev1.ConditionUnknown, "nvidia-smi "),
		has("GPUIsLost", "Exclude"), has("GPUPendingPage", "Penalize"))
	d.refused("GPUIsLost")

	d.step("nvidia-smi answers again", func() { d.answer("Yes") },
		is("GPUIsLost", corev1.ConditionFalse, "all GPUs answer"),
		is("GPUPendingPage", corev1.ConditionTrue, "GPU 0000:86:00.0 has pages pending retirement"),
		hasNot("GPUIsLost", "Exclude"), has("GPUPendingPage", "Exclude"))

	d.step("nvidia-smi is away", func() { d.nvidiaSmi("exit 9") },
		is("GPUIsLost", corev1.ConditionUnknown, "nvidia-smi: the driver is not loaded (9)"),
		is("GPUPendingPage", corev1.ConditionUnknown, "nvidia-smi: the driver is not loaded (9)"),
		has("GPUIsLost", "Penalize"), hasNot("GPUPendingPage", "Exclude"))

	d.step("nvidia-smi is back, all is well", func() { d.answer("No") },
		is("GPUIsLost", corev1.ConditionFalse, "all GPUs answer"),
		is("GPUPendingPage", corev1.ConditionFalse, "no page is pending"),
		hasNot("GPUIsLost", "Exclude"), hasNot("GPUIsLost", "Penalize"))
}

func TestNodeProblemDetectorFindsATaskThatHangs(t *testing.T) {
	_, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("python3 is not installed, and starts the task that hangs")
	}
	w := fresh(t)
	d := w.detector(nodesOf("mn2a")[1], "d-state")
	d.step("the detector starts", func() { d.start() },
		is("DStateProcess", corev1.ConditionFalse, "no task hangs"))

	var release func()
	d.step("a task hangs", func() {
		release, err = d.Hang()
		w.Check("start it", err)
		t.Cleanup(release)
	}, is("DStateProcess", corev1.ConditionTrue, "python3 ("), has("DStateProcess", "Exclude"))
	waiting := d.refused("DStateProcess")
	d.step("it goes on", release, is("DStateProcess", corev1.ConditionFalse, "no task hangs"),
		hasNot("DStateProcess", "Exclude"),
		func(d *probed) bool { return w.nodeOf(waiting) == d.Node })
}

// probed is a node with a detector, and with hardware of its own.
type probed struct {
	*world
	*detector.Detector

	mu       sync.Mutex
	statuses map[corev1.NodeConditionType][]corev1.ConditionStatus
	rows     []string
}

// detector prepares one that runs these probes every second.
func (w *world) detector(node string, probes ...string) *probed {
	w.Helper()
	d := &probed{world: w, statuses: map[corev1.NodeConditionType][]corev1.ConditionStatus{}}
	root := w.TempDir()
	flags := []string{"*:nvidia-smi=" + detector.Hardware{Root: root}.NvidiaSMI(), "*:root=" + root,
		"d-state:for=3s", "d-state:cgroup="}
	var err error
	d.Detector, err = detector.New(w.Context(), w.box, root, detector.Options{Node: node,
		Probes: probes, Interval: probeInterval, Timeout: probeTimeout, Flags: flags})
	w.Check("make a detector", err)
	w.Cleanup(d.Stop)
	w.Check("boot the node", d.Boot())
	d.follow()
	w.controllers(1, nil) // kube-scheduler may retry a pod before Berth knows of the repair
	w.Cleanup(func() {
		w.Logf("%s, seconds to each outcome\n%s", node, strings.Join(d.rows, "\n"))
	})
	return d
}

func (d *probed) start() {
	d.Helper()
	d.Check("start the detector", d.Start(d.Context()))
}

// answers has the second GPU answer on the bus, or not.
func (d *probed) answers(well bool) {
	d.Helper()
	d.Check("set the GPU", d.SetAnswering(detector.SecondGPU, well))
}

// answer has nvidia-smi list both GPUs, and say of the second whether something is pending.
func (d *probed) answer(pending string) {
	d.Helper()
	d.Check("answer for nvidia-smi", d.SetMemory(pending, "No"))
}

// nvidiaSmi is a shell script that answers in place of nvidia-smi.
func (d *probed) nvidiaSmi(script string) {
	d.Helper()
	d.Check("answer for nvidia-smi", d.SetNvidiaSMI(script))
}

// follow notes every status that the node's conditions have from now on.
func (d *probed) follow() {
	d.Helper()
	watch, err := d.box.Client.CoreV1().Nodes().Watch(d.Context(), metav1.ListOptions{
		FieldSelector: fields.OneTermEqualSelector("metadata.name", d.Node).String()})
	d.Check("watch the node", err)
	d.Cleanup(watch.Stop)
	go func() {
		for event := range watch.ResultChan() {
			node, isNode := event.Object.(*corev1.Node)
			if !isNode {
				continue
			}
			d.mu.Lock()
			for _, c := range node.Status.Conditions {
				d.statuses[c.Type] = append(d.statuses[c.Type], c.Status)
			}
			d.mu.Unlock()
		}
	}()
}

func (d *probed) history(kind corev1.NodeConditionType) []corev1.ConditionStatus {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.statuses[kind]
}

// An outcome is what a step leads to.
type outcome func(d *probed) bool

// step does something, waits for each outcome in turn, and notes how long that took. It returns when
// it began.
func (d *probed) step(name string, do func(), outcomes ...outcome) time.Time {
	d.Helper()
	began := time.Now()
	do()
	row := fmt.Sprintf("%-42s", name)
	for i, reached := range outcomes {
		d.Await(fmt.Sprintf("outcome %d after %q", i+1, name), func() bool { return reached(d) })
		row += fmt.Sprintf("%7.1f s", time.Since(began).Seconds())
	}
	d.rows = append(d.rows, row)
	return began
}

// refused creates a pod that fits only this node, and has Berth refuse it for the condition.
func (d *probed) refused(condition string) *corev1.Pod {
	d.Helper()
	pod := gpus(1, "V100")
	pod.Spec.NodeSelector = map[string]string{corev1.LabelHostname: d.Node}
	message := d.world.refused(pod)
	if !strings.Contains(message, "1 node(s) had condition "+condition) {
		d.Errorf("the event says %q, want the condition %s in it", message, condition)
	}
	return pod
}

func (d *probed) condition(kind corev1.NodeConditionType) corev1.NodeCondition {
	d.Helper()
	node, err := d.box.Client.CoreV1().Nodes().Get(d.Context(), d.Node, metav1.GetOptions{})
	d.Check("get the node", err)
	for _, condition := range node.Status.Conditions {
		if condition.Type == kind {
			return condition
		}
	}
	return corev1.NodeCondition{}
}

// is that the condition has a status, and a message that starts with this text.
func is(kind corev1.NodeConditionType, status corev1.ConditionStatus, message string) outcome {
	return func(d *probed) bool {
		condition := d.condition(kind)
		return condition.Status == status && strings.HasPrefix(condition.Message, message)
	}
}

// has is that Berth knows of one node with this effect.
func has(condition, effect string) outcome { return counts(condition, effect, 1) }

func hasNot(condition, effect string) outcome { return counts(condition, effect, 0) }

func counts(condition, effect string, nodes float64) outcome {
	return func(d *probed) bool {
		return d.metric("berth_nodes_by_condition", fmt.Sprintf("condition=%q", condition),
			fmt.Sprintf("effect=%q", effect)) == nodes
	}
}

// rewritten is that the detector has published the condition anew: whenever it starts, it takes the
// time of its first result for that of the transition. The API knows whole seconds.
func (d *probed) rewritten(kind corev1.NodeConditionType) outcome {
	d.Helper()
	last := d.condition(kind).LastTransitionTime
	return func(d *probed) bool { return d.condition(kind).LastTransitionTime.After(last.Time) }
}
