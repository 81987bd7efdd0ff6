package install

import (
	"context"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"berth.dev/berth/tests/e2e/box"
)

// Who keeps certificates himself gives Secrets, and the controller makes none.
func TestCertificatesOfOnesOwn(t *testing.T) {
	w := newWorld(t)
	if installed != nil {
		w.uninstall()
	}
	w.createNamespace()
	w.giveCertificate("my-extender", "berth-extender."+namespace+".svc")
	w.giveClientCertificate("my-scheduler")
	authority := w.giveCertificate("my-admission", "berth-admission."+namespace+".svc")
	w.install(values{"certificates": values{"source": "files", "files": values{
		"extenderSecret": "my-extender", "admissionSecret": "my-admission",
		"schedulerSecret": "my-scheduler", "caBundle": string(authority)}}})
	team := w.team("enforce")
	w.createJob(team, trainingJob("train"))
	w.running(team, "train")
	_, err := shared.Client.CoreV1().Secrets(namespace).Get(t.Context(), authoritySecret,
		metav1.GetOptions{})
	if !apierrors.IsNotFound(err) {
		t.Errorf("Secret %s: %v, want none", authoritySecret, err)
	}
	w.uninstall()
}

func (w *world) createNamespace() {
	w.Helper()
	_, err := shared.Client.CoreV1().Namespaces().Create(w.Context(), &corev1.Namespace{
		ObjectMeta: metav1.ObjectMeta{Name: namespace}}, metav1.CreateOptions{})
	if !apierrors.IsAlreadyExists(err) {
		w.Check("create "+namespace, err)
	}
}

// giveCertificate makes a Secret with a certificate until the test ends, and returns its authority.
func (w *world) giveCertificate(secret, host string) []byte {
	w.Helper()
	pair, err := shared.IssueServing(secret, host)
	w.Check("issue a certificate", err)
	w.givePair(secret, pair)
	return pair.Authority
}

// giveClientCertificate makes a Secret with a certificate of the same authority, for who calls.
func (w *world) giveClientCertificate(secret string) {
	w.Helper()
	pair, err := shared.IssueClient(secret)
	w.Check("issue a client's certificate", err)
	w.givePair(secret, pair)
}

func (w *world) givePair(secret string, pair box.Pair) {
	w.Helper()
	secrets := shared.Client.CoreV1().Secrets(namespace)
	_, err := secrets.Create(w.Context(), &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Name: secret}, Type: corev1.SecretTypeTLS,
		Data: map[string][]byte{
			"tls.crt": pair.Certificate, "tls.key": pair.Key, "ca.crt": pair.Authority},
	}, metav1.CreateOptions{})
	w.Check("create Secret "+secret, err)
	w.Cleanup(func() { _ = secrets.Delete(context.Background(), secret, metav1.DeleteOptions{}) })
}
