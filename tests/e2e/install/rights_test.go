package install

import (
	"regexp"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
)

// refusal is how kube-scheduler and Berth write of an answer 403. The number alone stands in scores
// and process ids, too.
var refusal = regexp.MustCompile(`(?i)forbidden|: 403\b`)

// The programs run with the tokens of their pods: what the chart grants is all that they have.
func TestNobodyMissesARight(t *testing.T) {
	w := release(t, nil)
	team := w.team("enforce")
	w.createJob(team, trainingJob("train"))
	w.running(team, "train")
	w.leader() // has taken its Lease
	for _, pod := range w.components() {
		for _, container := range pod.Spec.Containers {
			for _, line := range w.logOf(pod, container.Name) {
				if refusal.MatchString(line) {
					t.Errorf("%s of %s: %s", container.Name, pod.Name, line)
				}
			}
		}
	}
}

// Keys and tokens are nobody's to read in a log.
func TestLogsKeepSecrets(t *testing.T) {
	w := release(t, nil)
	secrets := []string{"PRIVATE KEY", "eyJhbGciOi"} // PEM, and the beginning of every token
	for _, name := range []string{authoritySecret, extenderSecret, admissionSecret, schedulerSecret} {
		body := strings.Split(string(w.secret(name).Data["tls.key"]), "\n")
		if len(body) < 3 {
			t.Fatalf("%s has no PEM key", name)
		}
		secrets = append(secrets, body[1])
	}
	for _, pod := range w.components() {
		for _, container := range pod.Spec.Containers {
			log := strings.Join(w.logOf(pod, container.Name), "\n")
			for _, secret := range secrets {
				if strings.Contains(log, secret) {
					t.Errorf("%s of %s writes %q", container.Name, pod.Name, secret)
				}
			}
		}
	}
}

func (w *world) logOf(pod corev1.Pod, container string) []string {
	w.Helper()
	log, err := shared.Kubelet.Log(pod.Name, container)
	w.Check("read the log of "+pod.Name, err)
	if log == "" {
		w.Errorf("%s of %s writes nothing", container, pod.Name)
	}
	return strings.Split(log, "\n")
}
