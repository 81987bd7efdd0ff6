package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"berth.dev/berth/tests/e2e/box"
	"berth.dev/berth/tests/e2e/fleet"
)

// explain asks berth explain about a pod's manifest.
func (w *world) explain(pod *corev1.Pod, arguments ...string) box.Explanation {
	w.Helper()
	manifest, err := fleet.Manifest(pod)
	w.Check("write the manifest", err)
	file := filepath.Join(w.TempDir(), "pod.yaml")
	w.Check("write the manifest", os.WriteFile(file, manifest, 0o600))
	answer, err := w.box.Explain(w.Context(), append(arguments, "-f", file)...)
	w.Check("berth explain", err)
	return answer
}

// dump writes what `kubectl get nodes,pods -A -o json` says.
func (w *world) dump() string {
	w.Helper()
	kubectl, err := box.Program("kubectl")
	w.Check("find kubectl", err)
	objects, err := exec.CommandContext(w.Context(), kubectl, "--kubeconfig", w.box.Kubeconfig,
		"get", "nodes,pods", "-A", "-o", "json").Output()
	w.Check("kubectl get", err)
	file := filepath.Join(w.TempDir(), "objects.json")
	w.Check("write what kubectl said", os.WriteFile(file, objects, 0o600))
	return file
}

func TestExplainAgreesWithKubeSchedulersEvent(t *testing.T) {
	w := fresh(t)
	pool := nodesOf("mn2b-a30")
	w.breaks("GPUIsLost", "Exclude", pool[:3]...)
	w.breaks("DStateProcess", "Exclude", pool[3])
	pod := gpus(1, "A30")
	event := w.refused(pod)
	live := w.explain(pod, "--kubeconfig", w.box.Kubeconfig)
	offline := w.explain(pod, "--objects", w.dump())
	for _, answer := range []box.Explanation{live, offline} {
		if answer.Fits {
			t.Error("explain says that a node fits")
		}
		for _, want := range []string{"0 fit", "3 GPUIsLost", "1 DStateProcess"} {
			if !strings.Contains(answer.Text, want) {
				t.Errorf("no %q in what explain says:\n%s", want, answer.Text)
			}
		}
	}
	for _, want := range []string{
		"3 node(s) had condition GPUIsLost", "1 node(s) had condition DStateProcess",
	} {
		if !strings.Contains(event, want) {
			t.Errorf("event %q, want %q in it", event, want)
		}
	}
}

func TestExplainNamesTheNodeThatIsTaken(t *testing.T) {
	w := fresh(t)
	pool := nodesOf("mn2b-a30")
	w.breaks("PCIeLinkDegraded", "Penalize", pool[1:]...)
	pod := gpus(1, "A30")
	answer := w.explain(pod, "--kubeconfig", w.box.Kubeconfig, "--node", pool[0])
	if !answer.Fits || !strings.Contains(answer.Text, "rank 10") {
		t.Errorf("explain does not rank %s first:\n%s", pool[0], answer.Text)
	}
	if node := w.place(pod); node != pool[0] {
		t.Errorf("the pod is on %s, want %s", node, pool[0])
	}
}
