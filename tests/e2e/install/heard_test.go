package install

import (
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
)

// createHeard creates a pod and returns what kube-apiserver warned of.
func (w *world) createHeard(namespace string, pod *corev1.Pod) (*corev1.Pod, []string) {
	w.Helper()
	heard := &warnings{}
	config := rest.CopyConfig(shared.Config)
	config.WarningHandler = heard
	client, err := kubernetes.NewForConfig(config)
	w.Check("a client", err)
	made, err := client.CoreV1().Pods(namespace).Create(w.Context(), pod, metav1.CreateOptions{})
	w.Check("create a pod", err)
	return made, heard.texts
}

// warnings collects those of one client, which makes one request after the other.
type warnings struct{ texts []string }

func (w *warnings) HandleWarningHeader(_ int, _ string, text string) {
	w.texts = append(w.texts, text)
}

// contains tells whether a text has all of the parts.
func contains(text string, parts ...string) error {
	for _, part := range parts {
		if !strings.Contains(text, part) {
			return fmt.Errorf("nothing of %q", part)
		}
	}
	return nil
}
