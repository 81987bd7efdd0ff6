//go:build long

package docs

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"berth.dev/berth/tests/e2e/box"
	"berth.dev/berth/tests/e2e/fleet"
)

const (
	awaitTimeout = time.Minute
	nodesPerPool = 3
	release      = "berth"
	namespace    = box.KubeletNamespace
	team         = "vision"
	lostNode     = "v100-7" // as docs/operations.md names it
)

// world is a cluster, and the folder in which commands are typed.
type world struct {
	box.Test
	*box.Box
	folder string
	lost   string // the pod that hangs on a lost node
}

func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{Test: box.Test{T: t, Timeout: awaitTimeout}, folder: t.TempDir(),
		Box: box.ForTest(t, box.Options{Kubelet: true, Stages: fleet.Stages})}
	w.Check("create nodes", fleet.CreateNodes(t.Context(), w.Client, fleet.Small(nodesPerPool)))
	node := fleet.Nodes(fleet.Small(1), time.Now())[0]
	node.Name = lostNode
	_, err := w.Client.CoreV1().Nodes().Create(t.Context(), node, metav1.CreateOptions{})
	w.Check("create "+lostNode, err)
	w.lay()
	return w
}

// on has the world speak for a test or a part of it.
func (w *world) on(t *testing.T) *world {
	w.Test.T = t
	return w
}

// lay puts what a reader has at hand into the folder: the chart, and the programs.
func (w *world) lay() {
	w.Helper()
	root, err := box.RepoRoot()
	w.Check("find the repository", err)
	w.Check("link the chart", os.Symlink(filepath.Join(root, "charts"), filepath.Join(w.folder, "charts")))
	w.Check("make a folder", os.Mkdir(w.bin(), 0o777))
	for _, name := range programs {
		find := func() (string, error) { return box.Program(name) }
		if name == "berth" {
			find = box.BerthBinary
		}
		path, err := find()
		w.Check("find "+name, err)
		w.Check("link "+name, os.Symlink(path, filepath.Join(w.bin(), name)))
	}
}

func (w *world) bin() string { return filepath.Join(w.folder, "bin") }

// typed runs a line in a shell and returns what it says. `berth doctor` is asked until it finds nothing
// wrong, as the documentation says: the controller has just begun to label nodes.
func (w *world) typed(line string) string {
	w.Helper()
	w.Logf("$ %s", line)
	said, err := w.try(line)
	if strings.HasPrefix(line, "berth doctor") && err != nil {
		box.HoldsWithin(awaitTimeout, func() bool { said, err = w.try(line); return err == nil })
	}
	var exit *exec.ExitError
	if strings.HasPrefix(line, "berth mutate") && errors.As(err, &exit) {
		if exit.ExitCode() == somethingChanges {
			err = nil
		}
	}
	if err != nil {
		w.Fatalf("%s: %v\n%s", line, err, said)
	}
	return said
}

func (w *world) try(line string) (string, error) {
	command := Shell(w.Context(), w.bin(), w.Kubeconfig, line)
	command.Dir = w.folder
	command.Env = append(command.Env, "HTTPS_PROXY="+w.Services.URL)
	for _, folder := range []string{"CACHE", "CONFIG", "DATA"} {
		command.Env = append(command.Env, "HELM_"+folder+"_HOME="+filepath.Join(w.folder, "helm", folder))
	}
	said, err := command.CombinedOutput()
	return string(said), err
}

func (w *world) write(name, text string) {
	w.Helper()
	w.Check("write "+name, os.WriteFile(filepath.Join(w.folder, name), []byte(text), 0o600))
}

func (w *world) createNamespace(name string) {
	w.Helper()
	_, err := w.Client.CoreV1().Namespaces().Create(w.Context(), &corev1.Namespace{
		ObjectMeta: metav1.ObjectMeta{Name: name}}, metav1.CreateOptions{})
	w.Check("create "+name, err)
	w.Await("a service account in "+name, func() bool {
		_, err := w.Client.CoreV1().ServiceAccounts(name).Get(w.Context(), "default", metav1.GetOptions{})
		return err == nil
	})
}

// uninstallIfThere removes the release that a document has left.
func (w *world) uninstallIfThere() {
	w.Helper()
	if _, err := w.Helm(w.Context(), "status", release); err != nil {
		return
	}
	w.awaitOwned()
	_, err := w.Helm(w.Context(), "uninstall", release, "--wait")
	w.Check("uninstall the release", err)
}

// awaitOwned waits until all Leases go with the release, which takes seconds after an installation.
func (w *world) awaitOwned() {
	w.Helper()
	w.Await("Leases to have an owner", func() bool {
		ownerless, err := w.OwnerlessLeases(w.Context())
		return err == nil && len(ownerless) == 0
	})
}

// awaitSafe waits until pods in the namespace are changed.
func (w *world) awaitSafe(namespace string) {
	w.Helper()
	w.Await("pods in "+namespace+" to be made safe", func() bool {
		pod, err := w.Client.CoreV1().Pods(namespace).Create(w.Context(), &corev1.Pod{
			ObjectMeta: metav1.ObjectMeta{GenerateName: "careless-"},
			Spec: corev1.PodSpec{Containers: []corev1.Container{
				{Name: "main", Image: "registry.example/main:1"}}},
		}, metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
		return err == nil && pod.Status.QOSClass == corev1.PodQOSGuaranteed
	})
}

func (w *world) pods(namespace string) []corev1.Pod {
	w.Helper()
	list, err := w.Client.CoreV1().Pods(namespace).List(w.Context(), metav1.ListOptions{})
	w.Check("list pods of "+namespace, err)
	return list.Items
}

func (w *world) expectSaid(said string, parts ...string) {
	w.Helper()
	for _, part := range parts {
		if !strings.Contains(said, part) {
			w.Errorf("no %q in\n%s", part, said)
		}
	}
}

func (w *world) expectTested(said string) { w.expectSaid(said, "STATUS: deployed", "Succeeded") }

func (w *world) expectForetold(said string) {
	w.Helper()
	w.expectSaid(said, "podFailurePolicy", " fit")
}

func (w *world) expectObserving(said string) {
	w.Helper()
	w.expectTested(said)
	got, err := w.Client.CoreV1().ConfigMaps(namespace).Get(w.Context(), release, metav1.GetOptions{})
	w.Check("get the configuration", err)
	if text := got.Data["config.yaml"]; strings.Count(text, "mode: Observe") != 2 {
		w.Errorf("not two policies observe in\n%s", text)
	}
}

func (w *world) expectUninstalled(string) {
	w.Helper()
	webhooks := w.Client.AdmissionregistrationV1()
	_, err := webhooks.MutatingWebhookConfigurations().Get(w.Context(), release, metav1.GetOptions{})
	if !apierrors.IsNotFound(err) {
		w.Errorf("the webhooks are still there: %v", err)
	}
	w.Await("all pods to be gone", func() bool { return len(w.pods(namespace)) == 0 })
	w.Await("all Leases to be gone", func() bool {
		leases, err := w.Client.CoordinationV1().Leases(namespace).List(w.Context(), metav1.ListOptions{})
		return err == nil && len(leases.Items) == 0
	})
}

func (w *world) nodes() []corev1.Node {
	w.Helper()
	list, err := w.Client.CoreV1().Nodes().List(context.Background(), metav1.ListOptions{})
	w.Check("list nodes", err)
	return list.Items
}

func (w *world) expectNoLabels(string) {
	w.Helper()
	for _, node := range w.nodes() {
		for label := range node.Labels {
			if strings.HasPrefix(label, "berth.dev/") {
				w.Errorf("%s has %s", node.Name, label)
			}
		}
	}
}

func (w *world) expectNoTaint(said string) {
	w.Helper()
	w.expectSaid(said, lostNode+" tainted", lostNode+" untainted")
	for _, node := range w.nodes() {
		for _, taint := range node.Spec.Taints {
			if taint.Key == corev1.TaintNodeOutOfService {
				w.Errorf("%s has %s", node.Name, taint.Key)
			}
		}
	}
}
