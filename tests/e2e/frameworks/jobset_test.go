//go:build frameworks

package frameworks

import (
	"os"
	"path/filepath"
	"testing"

	"sigs.k8s.io/yaml"

	"berth.dev/berth/tests/e2e/manifests"
)

var jobSet = operator{
	program: "jobset", namespace: "jobset-system", account: "jobset-controller-manager",
	podLabel: "jobset.sigs.k8s.io/jobset-name",
	arguments: func(run operatorRun) []string {
		return []string{"--config", filepath.Join(run.folder, "config.yaml"), "--leader-elect=false",
			"--health-probe-bind-address", run.probeAddress(),
			"--metrics-bind-address", "0"}
	},
	prepare: func(t *testing.T, run operatorRun) {
		writeYAML(t, filepath.Join(run.folder, "config.yaml"), map[string]any{
			"apiVersion":             "config.jobset.x-k8s.io/v1alpha1",
			"kind":                   "Configuration",
			"internalCertManagement": map[string]any{"enable": false},
			"webhook": map[string]any{
				"host": "127.0.0.1", "port": run.webhook, "certDir": run.folder},
		})
	},
}

func writeYAML(t *testing.T, file string, content map[string]any) {
	t.Helper()
	text, err := yaml.Marshal(content)
	if err == nil {
		err = os.WriteFile(file, text, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// replicatedJob labels pods of a set with the name of their Job.
const replicatedJob = "jobset.sigs.k8s.io/replicatedjob-name"

// A set starts over as a whole when one of its Jobs has failed, and is complete when all are.
func TestJobSet(t *testing.T) {
	jobSet.start(t)
	w := newWorld(t)
	w.breakNode("mn2b-a30-001")
	set := w.create(example(t, "jobset"))
	w.expectForetold("train")
	pods := w.running(3)
	w.expectPlaced(pods, "mn2b-a30-001")

	w.kill(pods[0])
	w.Await("the set to start over", func() bool {
		return manifests.At(w.now(set), "status", "restarts") == int64(1)
	})
	pods = w.without(pods[0], 3)
	w.expectPlaced(pods, "mn2b-a30-001")

	lost := labelled(w, pods, replicatedJob, "workers")
	w.breakNode(lost.Spec.NodeName)
	w.drain(lost)
	again := w.without(lost, 3)
	w.expectPlaced(newcomers(pods, again), "mn2b-a30-001", lost.Spec.NodeName)

	w.finish(again...)
	w.Await("the set to be complete", func() bool {
		return manifests.At(w.now(set), "status", "terminalState") == "Completed"
	})
}
