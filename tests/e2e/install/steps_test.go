package install

import (
	"regexp"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// The steps that the notes of the release name, in the words in which they name them.

func TestNotesSayWhatToDoNext(t *testing.T) {
	w := release(t, nil)
	said := w.notes()
	err := contains(said, "helm test berth -n berth-system", "berth doctor",
		"kubectl label namespace <name> berth.dev/admission=enforce")
	if err != nil {
		t.Errorf("%v in\n%s", err, said)
	}
}

// In Observe nothing is refused, and what would have been is counted.
func TestObserving(t *testing.T) {
	w := release(t, nil)
	team := w.team("enforce")
	for index := range nodesPerPool {
		w.breakNode(v100Node(index))
	}
	w.createJob(team, trainingJob("refused"))
	w.Await("the reason to be told", func() bool {
		return strings.Contains(w.pendingReason(team, "refused"), "GPUIsLost")
	})
	w.followNotes("health.mode=Observe")
	w.Await("the extenders to have taken it over", func() bool {
		pod, err := create(t.Context(), team, gpuPod())
		w.Check("create a pod", err)
		if awaitPlaced(t.Context(), pod, 5*time.Second) == nil {
			return true
		}
		// Otherwise those that come too early would take all devices.
		w.Check("delete the pod", shared.Client.CoreV1().Pods(team).Delete(t.Context(), pod.Name,
			metav1.DeleteOptions{GracePeriodSeconds: new(int64)}))
		return false
	})
	if w.sumOf("extender", "berth_would_reject_total") == 0 {
		t.Error("nothing is counted")
	}
	w.upgrade(nil)
}

func TestEnforcingEverywhere(t *testing.T) {
	w := release(t, nil)
	team := w.team("")
	w.followNotes("admission.defaultMode=enforce")
	w.Await("pods of namespaces without a label to be made safe", func() bool {
		pod, err := w.try(team, carelessPod())
		return err == nil && isSafe(pod)
	})
	w.awaitTrustedWebhooks()
	w.upgrade(nil)
	w.Await("them to be left alone again", func() bool {
		pod, err := w.try(team, carelessPod())
		return err == nil && pod.Status.QOSClass == corev1.PodQOSBestEffort
	})
}

func (w *world) notes() string {
	w.Helper()
	said, err := shared.Helm(w.Context(), "get", "notes", releaseName)
	w.Check("get the notes", err)
	return said
}

var continuation = regexp.MustCompile(`\s*\\\n\s*`)

// followNotes runs the helm command of the notes that has the text.
func (w *world) followNotes(text string) {
	w.Helper()
	for _, line := range strings.Split(continuation.ReplaceAllString(w.notes(), " "), "\n") {
		words := strings.Fields(line)
		if len(words) == 0 || words[0] != "helm" || !strings.Contains(line, text) {
			continue
		}
		for i, word := range words {
			if word == "<chart>" {
				words[i] = w.chart()
			}
		}
		_, err := shared.Helm(w.Context(), append(words[1:], "--wait")...)
		w.Check(line, err)
		installed = values{"changed": true} // by hand
		return
	}
	w.Fatalf("no command with %s in\n%s", text, w.notes())
}

// pendingReason is what kube-scheduler says of a Job's pods that it has not placed.
func (w *world) pendingReason(namespace, job string) string {
	w.Helper()
	for _, pod := range w.pods(namespace, "batch.kubernetes.io/job-name="+job) {
		for _, condition := range pod.Status.Conditions {
			if condition.Type == corev1.PodScheduled && condition.Status != corev1.ConditionTrue {
				return condition.Message
			}
		}
	}
	return ""
}

// sumOf adds up a metric of the pods of a component.
func (w *world) sumOf(component, metric string) float64 {
	w.Helper()
	sum := 0.0
	for _, pod := range w.component(component) {
		samples, err := shared.Kubelet.Metrics(w.Context(), pod.Name, "metrics")
		w.Check("scrape "+pod.Name, err)
		sum += samples.Sum(metric)
	}
	return sum
}
