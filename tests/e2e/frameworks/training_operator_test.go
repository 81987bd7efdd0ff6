//go:build frameworks

package frameworks

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"berth.dev/berth/tests/e2e/manifests"
)

// trainingCertificates is where training-operator expects a certificate; no option changes it.
const trainingCertificates = "/tmp/k8s-webhook-server/serving-certs"

var trainingOperator = operator{
	program: "training-operator", namespace: "kubeflow", account: "training-operator",
	arguments: func(run operatorRun) []string {
		return []string{"--enable-scheme=pytorchjob",
			"--health-probe-bind-address", run.probeAddress(),
			"--metrics-bind-address", "0", "--webhook-server-port", fmt.Sprint(run.webhook)}
	},
	prepare: func(t *testing.T, run operatorRun) {
		// It serves with the certificate below its own TMPDIR.
		copyCertificate(t, run.folder, filepath.Join(run.folder, "k8s-webhook-server", "serving-certs"))
		// And it makes another one, which is mounted where it is installed, and waits for that.
		if _, err := os.Stat(trainingCertificates); !errors.Is(err, fs.ErrNotExist) {
			t.Skipf("training-operator expects certificates in %s, which others use", trainingCertificates)
		}
		copyCertificate(t, run.folder, trainingCertificates)
		t.Cleanup(func() { os.RemoveAll(filepath.Dir(trainingCertificates)) })
		const name = "training-operator-webhook-cert"
		secrets := shared.Client.CoreV1().Secrets("kubeflow")
		_, err := secrets.Create(t.Context(), &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: name}},
			metav1.CreateOptions{})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = secrets.Delete(context.Background(), name, metav1.DeleteOptions{}) })
	},
}

func copyCertificate(t *testing.T, from, to string) {
	t.Helper()
	if err := os.MkdirAll(to, 0o700); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"tls.crt", "tls.key"} {
		content, err := os.ReadFile(filepath.Join(from, name))
		if err == nil {
			err = os.WriteFile(filepath.Join(to, name), content, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

const trainingRole = "training.kubeflow.org/replica-type"

// A replica that is killed is made again, as ExitCode says, and the PyTorchJob succeeds with its
// master.
func TestPyTorchJob(t *testing.T) {
	trainingOperator.start(t)
	w := newWorld(t)
	w.breakNode("mn2b-a30-001")
	job := w.create(example(t, "training-operator"))
	w.expectForetold("pytorch")
	pods := w.running(3)
	w.expectPlaced(pods, "mn2b-a30-001")

	killed := labelled(w, pods, trainingRole, "worker")
	w.kill(killed)
	pods = w.without(killed, 3)

	lost := labelled(w, pods, trainingRole, "worker")
	w.breakNode(lost.Spec.NodeName)
	w.drain(lost)
	again := w.without(lost, 3)
	w.expectPlaced(newcomers(pods, again), "mn2b-a30-001", lost.Spec.NodeName)

	w.finish(again...)
	w.Await("the PyTorchJob to succeed", func() bool { return manifests.HasCondition(w.now(job), "Succeeded") })
}
