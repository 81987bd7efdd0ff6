//go:build long

package e2e

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"

	"berth.dev/berth/tests/e2e/box"
)

const (
	detectorUser = "node-problem-detector"
	// How often the probes run here, and how long they may take. The defaults are 1m and 20s.
	probeInterval = time.Second
	probeTimeout  = 2 * time.Second
	hangingScript = "trap '' TERM; sleep 300; sleep 300"
)

// A node's GPUs fail, hang and come back, as sysfs and nvidia-smi tell of them; the rest is real:
// `berth probe`, node-problem-detector, kube-apiserver, Berth and kube-scheduler.
func TestNodeProblemDetectorRunsProbesOfGPUs(t *testing.T) {
	w := fresh(t)
	d := w.detector(nodesOf("mn2a")[0], "gpu-lost", "pending-page")
	d.gpu("0000:3b:00.0", "\xde\x10\xb5\x20")
	d.gpu("0000:86:00.0", "\xde\x10\xb5\x20")
	d.answer("No", "No")

	d.step("the detector starts, all is well", func() { d.start() },
		d.rewritten("GPUIsLost"), is("GPUIsLost", corev1.ConditionFalse, "all GPUs answer"),
		is("GPUPendingPage", corev1.ConditionFalse, "no page is pending"))

	d.step("a GPU falls off the bus", func() { d.gpu("0000:86:00.0", strings.Repeat("\xff", 64)) },
		is("GPUIsLost", corev1.ConditionTrue, "0000:86:00.0 does not answer on the PCI bus"),
		has("GPUIsLost", "Exclude"))
	waiting := d.refused("GPUIsLost")

	before := len(d.history("GPUIsLost"))
	restarted := d.step("the detector is killed and starts again", func() {
		d.process.Kill()
		d.start()
	}, d.rewritten("GPUIsLost"), has("GPUIsLost", "Exclude"))
	for _, status := range d.history("GPUIsLost")[before:] {
		if status != corev1.ConditionTrue {
			t.Errorf("GPUIsLost became %s when the detector started again at %s", status, restarted)
		}
	}
	d.refused("GPUIsLost")

	d.step("the GPU is back", func() { d.gpu("0000:86:00.0", "\xde\x10\xb5\x20") },
		is("GPUIsLost", corev1.ConditionFalse, "all GPUs answer"), hasNot("GPUIsLost", "Exclude"),
		func(d *detector) bool { return w.nodeOf(waiting) == d.node })

	d.step("nvidia-smi hangs and ignores SIGTERM", func() { d.nvidiaSmi(hangingScript) },
		is("GPUIsLost", corev1.ConditionTrue, "nvidia-smi "),
		is("GPUPendingPage", corev1.ConditionUnknown, "nvidia-smi "),
		has("GPUIsLost", "Exclude"), has("GPUPendingPage", "Penalize"))
	d.refused("GPUIsLost")

	d.step("nvidia-smi answers again", func() { d.answer("No", "Yes") },
		is("GPUIsLost", corev1.ConditionFalse, "all GPUs answer"),
		is("GPUPendingPage", corev1.ConditionTrue, "GPU 0000:86:00.0 has pages pending retirement"),
		hasNot("GPUIsLost", "Exclude"), has("GPUPendingPage", "Exclude"))

	d.step("nvidia-smi is away", func() { d.nvidiaSmi("exit 9") },
		is("GPUIsLost", corev1.ConditionUnknown, "nvidia-smi: the driver is not loaded (9)"),
		is("GPUPendingPage", corev1.ConditionUnknown, "nvidia-smi: the driver is not loaded (9)"),
		has("GPUIsLost", "Penalize"), hasNot("GPUPendingPage", "Exclude"))

	d.step("nvidia-smi is back, all is well", func() { d.answer("No", "No") },
		is("GPUIsLost", corev1.ConditionFalse, "all GPUs answer"),
		is("GPUPendingPage", corev1.ConditionFalse, "no page is pending"),
		hasNot("GPUIsLost", "Exclude"), hasNot("GPUIsLost", "Penalize"))
}

// The task hangs for real: whoever starts a program by vfork() waits in state D until that program
// has its files open, and opening a FIFO takes as long as nobody writes to it.
func TestNodeProblemDetectorFindsATaskThatHangs(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("python3 is not installed, and starts the task that hangs")
	}
	w := fresh(t)
	d := w.detector(nodesOf("mn2a")[1], "d-state")
	d.step("the detector starts", func() { d.start() },
		is("DStateProcess", corev1.ConditionFalse, "no task hangs"))

	fifo := filepath.Join(d.root, "fifo")
	w.Check("make a FIFO", syscall.Mkfifo(fifo, 0o600))
	hung := exec.Command(python, "-c", `import os, sys
os.posix_spawn("/bin/true", ["true"], os.environ,
               file_actions=[(os.POSIX_SPAWN_OPEN, 0, sys.argv[1], os.O_RDONLY, 0)])`, fifo)
	release := sync.OnceFunc(func() {
		if writer, err := os.OpenFile(fifo, os.O_WRONLY|syscall.O_NONBLOCK, 0); err == nil {
			writer.Close()
		}
		_ = hung.Process.Kill()
		_ = hung.Wait()
	})
	d.step("a task hangs", func() { w.Check("start it", hung.Start()); t.Cleanup(release) },
		is("DStateProcess", corev1.ConditionTrue, "python3 ("), has("DStateProcess", "Exclude"))
	waiting := d.refused("DStateProcess")
	d.step("it goes on", release, is("DStateProcess", corev1.ConditionFalse, "no task hangs"),
		hasNot("DStateProcess", "Exclude"),
		func(d *detector) bool { return w.nodeOf(waiting) == d.node })
}

// detector is a node-problem-detector that runs probes for one node, and that node's hardware.
type detector struct {
	*world
	node string
	// root has the node's sys and nvidia-smi.
	root    string
	config  string
	process *box.Process

	mu       sync.Mutex
	statuses map[corev1.NodeConditionType][]corev1.ConditionStatus
	rows     []string
}

// detector prepares one that runs these probes every second.
func (w *world) detector(node string, probes ...string) *detector {
	w.Helper()
	d := &detector{world: w, node: node, root: w.TempDir(),
		statuses: map[corev1.NodeConditionType][]corev1.ConditionStatus{}}
	berth, err := box.BerthBinary()
	w.Check("find berth", err)
	arguments := []string{"probe", "config", "--output", d.root, "--program", berth,
		"--interval", probeInterval.String(),
		"--flag", "*:run-dir=" + filepath.Join(d.root, "run"),
		"--flag", "*:timeout=" + probeTimeout.String(),
		"--flag", "gpu-lost:root=" + d.root, "--flag", "pending-page:root=" + d.root,
		"--flag", "*:nvidia-smi=" + filepath.Join(d.root, "nvidia-smi"),
		"--flag", "d-state:for=3s", "--flag", "d-state:cgroup="}
	output, err := exec.CommandContext(w.Context(), berth, append(arguments, probes...)...).
		CombinedOutput()
	w.Check("berth probe config: "+string(output), err)
	var files []string
	for _, probe := range probes {
		files = append(files, filepath.Join(d.root, probe+".json"))
	}
	d.config = strings.Join(files, ",")
	d.follow()
	w.controllers(1, nil) // kube-scheduler may retry a pod before Berth knows of the repair
	w.Cleanup(func() {
		w.Logf("%s, seconds to each outcome\n%s", node, strings.Join(d.rows, "\n"))
	})
	return d
}

// start starts the detector, for the first time with the rights that Kubernetes has for it.
func (d *detector) start() {
	d.Helper()
	if d.process != nil {
		d.Check("start the detector again", d.process.Start(d.Context()))
		return
	}
	binding := &rbacv1.ClusterRoleBinding{
		ObjectMeta: metav1.ObjectMeta{GenerateName: detectorUser + "-"},
		RoleRef: rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole",
			Name: "system:node-problem-detector"},
		Subjects: []rbacv1.Subject{{APIGroup: rbacv1.GroupName, Kind: "User", Name: detectorUser}},
	}
	_, err := d.box.Client.RbacV1().ClusterRoleBindings().Create(d.Context(), binding,
		metav1.CreateOptions{})
	d.Check("bind its role", err)
	kubeconfig, err := d.box.KubeconfigFor(detectorUser)
	d.Check("write a kubeconfig", err)
	port, err := d.box.FreePort()
	d.Check("find a port", err)
	d.process, err = d.box.Run(d.Context(), box.Daemon{
		Program: "node-problem-detector",
		Arguments: []string{
			"--config.custom-plugin-monitor=" + d.config, "--hostname-override=" + d.node,
			"--apiserver-override=https://" + d.box.APIAddress() + "?inClusterConfig=false&auth=" +
				kubeconfig,
			fmt.Sprintf("--port=%d", port), "--prometheus-port=0"},
		Ready: d.box.ReadyAt(fmt.Sprintf("http://127.0.0.1:%d/healthz", port)),
	})
	d.Check("start the detector", err)
	d.Cleanup(d.process.Stop)
}

// gpu is a GPU whose PCI configuration starts with these bytes.
func (d *detector) gpu(address, config string) {
	d.Helper()
	folder := filepath.Join(d.root, "sys/bus/pci/devices", address)
	d.Check("make a GPU", os.MkdirAll(folder, 0o755))
	for name, content := range map[string]string{
		"vendor": "0x10de\n", "class": "0x030200\n", "config": config,
	} {
		d.write(filepath.Join(folder, name), content)
	}
}

// answer has nvidia-smi list both GPUs, and say of each whether something is pending.
func (d *detector) answer(first, second string) {
	d.Helper()
	d.nvidiaSmi(fmt.Sprintf(`case "$*" in
*pending*) echo 00000000:3B:00.0, %s; echo 00000000:86:00.0, %s ;;
*) echo 00000000:3B:00.0; echo 00000000:86:00.0 ;;
esac`, first, second))
}

// nvidiaSmi is a shell script that answers in place of nvidia-smi.
func (d *detector) nvidiaSmi(script string) {
	d.Helper()
	d.write(filepath.Join(d.root, "nvidia-smi"), "#!/bin/sh\n"+script+"\n")
}

// write replaces a file at once, so that nobody reads a part of it or runs what is being written.
func (d *detector) write(path, content string) {
	d.Helper()
	d.Check("write "+path, os.WriteFile(path+".new", []byte(content), 0o755))
	d.Check("rename "+path, os.Rename(path+".new", path))
}

// follow notes every status that the node's conditions have from now on.
func (d *detector) follow() {
	d.Helper()
	watch, err := d.box.Client.CoreV1().Nodes().Watch(d.Context(), metav1.ListOptions{
		FieldSelector: fields.OneTermEqualSelector("metadata.name", d.node).String()})
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

func (d *detector) history(kind corev1.NodeConditionType) []corev1.ConditionStatus {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.statuses[kind]
}

// An outcome is what a step leads to.
type outcome func(d *detector) bool

// step does something, waits for each outcome in turn, and notes how long that took. It returns when
// it began.
func (d *detector) step(name string, do func(), outcomes ...outcome) time.Time {
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
func (d *detector) refused(condition string) *corev1.Pod {
	d.Helper()
	pod := gpus(1, "V100")
	pod.Spec.NodeSelector = map[string]string{corev1.LabelHostname: d.node}
	message := d.world.refused(pod)
	if !strings.Contains(message, "1 node(s) had condition "+condition) {
		d.Errorf("the event says %q, want the condition %s in it", message, condition)
	}
	return pod
}

func (d *detector) condition(kind corev1.NodeConditionType) corev1.NodeCondition {
	d.Helper()
	node, err := d.box.Client.CoreV1().Nodes().Get(d.Context(), d.node, metav1.GetOptions{})
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
	return func(d *detector) bool {
		condition := d.condition(kind)
		return condition.Status == status && strings.HasPrefix(condition.Message, message)
	}
}

// has is that Berth knows of one node with this effect.
func has(condition, effect string) outcome { return counts(condition, effect, 1) }

func hasNot(condition, effect string) outcome { return counts(condition, effect, 0) }

func counts(condition, effect string, nodes float64) outcome {
	return func(d *detector) bool {
		return d.metric("berth_nodes_by_condition", fmt.Sprintf("condition=%q", condition),
			fmt.Sprintf("effect=%q", effect)) == nodes
	}
}

// rewritten is that the detector has published the condition anew: whenever it starts, it takes the
// time of its first result for that of the transition. The API knows whole seconds.
func (d *detector) rewritten(kind corev1.NodeConditionType) outcome {
	d.Helper()
	last := d.condition(kind).LastTransitionTime
	return func(d *detector) bool { return d.condition(kind).LastTransitionTime.After(last.Time) }
}
