//go:build frameworks

package frameworks

import (
	"path/filepath"
	"testing"

	"berth.dev/berth/tests/e2e/manifests"
)

var trainer = operator{
	program: "trainer", namespace: "kubeflow-system", account: "kubeflow-trainer-controller-manager",
	arguments: func(run operatorRun) []string {
		return []string{"--config", filepath.Join(run.folder, "config.yaml")}
	},
	prepare: func(t *testing.T, run operatorRun) {
		// It looks for its certificate below its TMPDIR.
		copyCertificate(t, run.folder, filepath.Join(run.folder, "k8s-webhook-server", "serving-certs"))
		writeYAML(t, filepath.Join(run.folder, "config.yaml"), map[string]any{
			"apiVersion":     "config.trainer.kubeflow.org/v1alpha1",
			"kind":           "Configuration",
			"health":         map[string]any{"healthProbeBindAddress": run.probeAddress()},
			"metrics":        map[string]any{"bindAddress": "0"},
			"webhook":        map[string]any{"host": "127.0.0.1", "port": run.webhook},
			"leaderElection": map[string]any{"leaderElect": false},
			"certManagement": map[string]any{"enable": false},
		})
	},
}

// A TrainJob is a JobSet, which starts over as its runtime says, and is complete when that is.
func TestTrainJob(t *testing.T) {
	jobSet.start(t)
	trainer.start(t)
	w := newWorld(t)
	w.breakNode("mn2b-a30-001")
	job := w.create(example(t, "trainer"))
	w.expectForetold("node")
	pods := w.running(2)
	w.expectPlaced(pods, "mn2b-a30-001")

	w.kill(pods[0])
	pods = w.without(pods[0], 2)
	w.expectPlaced(pods, "mn2b-a30-001")

	lost := pods[0]
	w.breakNode(lost.Spec.NodeName)
	w.drain(lost)
	again := w.without(lost, 2)
	w.expectPlaced(newcomers(pods, again), "mn2b-a30-001", lost.Spec.NodeName)

	w.finish(again...)
	w.Await("the TrainJob to be complete", func() bool { return manifests.HasCondition(w.now(job), "Complete") })
}
