package install

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// What `helm test` shows is what its pod has written.
func TestHelmTestSaysThatItWorks(t *testing.T) {
	for _, c := range []struct {
		name string
		with values
	}{{"with the chart's scheduler", nil}, {"with a scheduler of one's own", asService}} {
		t.Run(c.name, func(t *testing.T) {
			w := release(t, c.with)
			said, err := shared.Helm(t.Context(), "test", releaseName, "--timeout", "1m")
			w.Check("test the release", err)
			if err := contains(said, "ok       extender", "ok       webhook", "\n2 ok\n"); err != nil {
				t.Errorf("%v in\n%s", err, said)
			}
		})
	}
}

// forgetTest deletes the pod of a test that failed: the chart leaves it, to be looked at, and Helm
// does not delete hooks with their release.
func (w *world) forgetTest() {
	w.Helper()
	w.Check("delete the test's pod", shared.Client.CoreV1().Pods(namespace).Delete(w.Context(),
		releaseName+"-test", metav1.DeleteOptions{}))
}

// All that `berth doctor` looks at is well after an installation with the chart's defaults.
func TestDoctorFindsNothingWrong(t *testing.T) {
	w := release(t, nil)
	team := w.team("enforce")
	w.createJob(team, trainingJob("train"))
	w.running(team, "train")
	w.leader() // nodes have their labels soon afterwards
	w.Await("labelled nodes", func() bool { return w.acceleratorOf(v100Node(0)) != "" })
	t.Log(w.berth("doctor", "--namespace", namespace))
}
