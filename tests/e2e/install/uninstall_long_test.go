//go:build long

package install

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Names of objects begin with the release's where that does not say whose they are.
func TestReleaseOfAnotherName(t *testing.T) {
	w := newWorld(t)
	if installed != nil {
		w.uninstall()
	}
	_, err := shared.Helm(t.Context(), "install", "gpu", w.chart(), "--create-namespace", "--wait")
	w.Check("install the chart", err)
	w.awaitAsked()
	team := w.team("enforce")
	w.createJob(team, trainingJob("train"))
	w.running(team, "train")
	_, err = shared.Client.CoreV1().Secrets(namespace).Get(t.Context(), "gpu-berth-ca",
		metav1.GetOptions{})
	w.Check("get the authority", err)
	w.awaitOwned()
	_, err = shared.Helm(t.Context(), "uninstall", "gpu", "--wait")
	w.Check("uninstall the release", err)
	w.awaitNone("objects of the release", w.leftovers)
}
