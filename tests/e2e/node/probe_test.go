//go:build cluster

package node

import (
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"

	"berth.dev/berth/tests/e2e/box"
	"berth.dev/berth/tests/e2e/fleet"
)

const probeSelector = releaseSelector + ",app.kubernetes.io/component=probe"

// probeValues have the probes find what hangs within seconds. They run where the chart would run
// them, but for KWOK's nodes, where no pod of Berth's namespace ever becomes ready. Nobody has to
// wait until Berth trusts a condition that has ceased.
const probeValues = `
probe:
  enabled: true
  interval: 1s
  probes: [gpu-lost, d-state, nfs]
  flags: ["*:timeout=5s", "d-state:for=3s"]
  nvidiaRoot: ""
  affinity:
    nodeAffinity:
      requiredDuringSchedulingIgnoredDuringExecution:
        nodeSelectorTerms:
        - matchExpressions:
          - {key: ` + fleet.LabelAccelerator + `, operator: Exists}
          - {key: ` + box.LabelRealNode + `, operator: In, values: ["true"]}
config: {health: {keepFor: 0s}}
`

// The chart's probes look at the real node from within their pod: at its bus, its processes and its
// mounts. A pod whose program really hangs keeps others off the node until it goes on.
func TestProbesFindAPodThatHangs(t *testing.T) {
	w := enter(t)
	tag := w.importProbes()
	w.giveDevices()
	w.label(fleet.LabelProduct, `"`+model+`"`)
	defer w.label(fleet.LabelProduct, "null")
	defer w.stopProbes()
	w.startProbes(tag)
	for _, kind := range []string{"GPUIsLost", "DStateProcess", "NFSUnresponsive"} {
		w.awaitCondition(kind, corev1.ConditionFalse)
	}

	inner := w.team("probed", "enforce")
	hung := inner.run("hangs", trainer(nil, "hang"))
	w.awaitCondition("DStateProcess", corev1.ConditionTrue)
	if said := w.condition("DStateProcess").Message; !strings.HasPrefix(said, "trainer (") {
		t.Errorf("the condition says %q, which does not name the program", said)
	}
	inner.start("waits", trainer(nil, "count", "1"), nil)
	w.Await("Berth to refuse the node", func() bool {
		pods := inner.podsOf("waits")
		return len(pods) == 1 && slices.ContainsFunc(pods[0].Status.Conditions, isRefusedForHanging)
	})

	inner.letGo(hung)
	w.awaitCondition("DStateProcess", corev1.ConditionFalse)
	if pods := inner.awaitEnd("waits", batchv1.JobComplete); len(pods) != 1 {
		t.Errorf("%d pods, want the one that has waited", len(pods))
	}
}

func isRefusedForHanging(c corev1.PodCondition) bool {
	return c.Type == corev1.PodScheduled && c.Status == corev1.ConditionFalse &&
		strings.Contains(c.Message, "had condition DStateProcess")
}

// importProbes has the real node know the image of the probes, and returns its tag.
func (w *world) importProbes() string {
	w.Helper()
	const name = "berth-probe"
	archive, err := builtImage(name, "make image IMAGE_FLAGS=--probe")
	w.Check("find the image of the probes", err)
	w.Check("import it", realNode.Import(w.Context(), archive))
	return strings.TrimSuffix(strings.TrimPrefix(filepath.Base(archive), name+"-"), "-amd64.tar")
}

func (w *world) startProbes(tag string) {
	w.Helper()
	values := filepath.Join(shared.Dir, "probe.yaml")
	w.Check("write values", writeAll(map[string]string{values: probeValues}))
	_, err := shared.Helm(w.Context(), "upgrade", releaseName, ours.chart, "--wait", "--timeout", "3m",
		"--reset-values", "--values", filepath.Join(shared.Dir, "values.yaml"), "--values", values,
		"--set-string", "probe.image.tag="+tag)
	w.Check("switch the probes on", err)
}

// stopProbes takes them and their conditions away again.
func (w *world) stopProbes() {
	w.Helper()
	_, err := shared.Helm(w.Context(), "rollback", releaseName, "--wait")
	w.Check("roll back", err)
	w.Await("the probes to end", func() bool { return len(w.pods(namespace, probeSelector)) == 0 })
	w.forget("GPUIsLost", "DStateProcess", "NFSUnresponsive")
}

func (w *world) awaitCondition(kind string, status corev1.ConditionStatus) {
	w.Helper()
	w.Await(fmt.Sprintf("the node's %s to be %s", kind, status), func() bool {
		return w.condition(kind).Status == status
	})
}

// letGo ends what the program of a pod waits for, which is its child: another process of the pod, by
// the same command.
func (t *team) letGo(pod *corev1.Pod) {
	t.Helper()
	pids := slices.DeleteFunc(t.processes("trainer", "hang"), func(pid int) bool {
		return !strings.Contains(t.proc(pid, "cgroup"), string(pod.UID))
	})
	for _, pid := range pids {
		if slices.Contains(pids, t.parent(pid)) {
			t.Check("kill the child", syscall.Kill(pid, syscall.SIGKILL))
			return
		}
	}
	t.Fatalf("none of the processes %v of %s is another's child", pids, pod.Name)
}

func (w *world) parent(pid int) int {
	w.Helper()
	const field = "PPid:"
	for line := range strings.Lines(w.proc(pid, "status")) {
		if strings.HasPrefix(line, field) {
			parent, err := strconv.Atoi(strings.TrimSpace(strings.TrimPrefix(line, field)))
			w.Check("read the parent of a process", err)
			return parent
		}
	}
	w.Fatalf("process %d has no parent", pid)
	return 0
}
