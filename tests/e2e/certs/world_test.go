package certs

import (
	"context"
	"crypto/x509"
	"encoding/pem"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"berth.dev/berth/tests/e2e/box"
)

// world is the box as a test sees it.
type world struct{ box.Test }

func newWorld(t *testing.T) world { return world{box.Test{T: t, Timeout: awaitTimeout}} }

// controllers replaces those that run. While none did, certificates may have come close to their
// end, as no test is about: it begins with such as last.
func (w world) controllers(count int, life time.Duration) {
	w.Helper()
	w.Check("start controllers", startControllers(w.Context(), count, life))
	w.Await("one of them to lead", func() bool { return w.leader() != nil })
	w.Await("certificates that last", func() bool {
		return w.consistent() && w.lasts(extenderSecret) && w.lasts(admissionSecret)
	})
	w.awaitServed()
}

// lasts tells whether a certificate is renewed long before it ends.
func (w world) lasts(secret string) bool {
	w.Helper()
	return time.Until(w.certificate(secret).NotAfter) > renewedInSeconds/2
}

// leader is the controller that writes, nil while there is none.
func (w world) leader() *box.Controller {
	for _, controller := range controllers {
		samples, err := controller.Metrics(w.Context())
		if err == nil && samples.Sum("berth_controller_leads") == 1 {
			return controller
		}
	}
	return nil
}

func (w world) secret(name string) *corev1.Secret {
	w.Helper()
	secret, err := shared.Client.CoreV1().Secrets(namespace).Get(w.Context(), name, metav1.GetOptions{})
	w.Check("read "+name, err)
	return secret
}

// certificates of a PEM text; none where it is garbage.
func certificates(text []byte) []*x509.Certificate {
	var all []*x509.Certificate
	for block, rest := pem.Decode(text); block != nil; block, rest = pem.Decode(rest) {
		if certificate, err := x509.ParseCertificate(block.Bytes); err == nil {
			all = append(all, certificate)
		}
	}
	return all
}

// certificate is the first one of a Secret.
func (w world) certificate(secret string) *x509.Certificate {
	w.Helper()
	all := certificates(w.secret(secret).Data[corev1.TLSCertKey])
	if len(all) == 0 {
		w.Fatalf("%s has no certificate", secret)
	}
	return all[0]
}

// ask has the controller make a new certificate.
func (w world) ask(secret string) {
	w.Helper()
	output, err := w.berthCerts("renew", secret)
	w.Check("berth certs renew: "+output, err)
}

// berthCerts runs `berth certs` as an administrator does.
func (w world) berthCerts(arguments ...string) (string, error) {
	w.Helper()
	berth, err := box.BerthBinary()
	w.Check("find berth", err)
	output, err := exec.CommandContext(w.Context(), berth, slices.Concat([]string{"certs"}, arguments,
		[]string{"--kubeconfig", shared.Kubeconfig, "--config", controllers[0].ConfigFile})...).
		CombinedOutput()
	return string(output), err
}

func (w world) patch(secret, patch string) {
	w.Helper()
	_, err := shared.Client.CoreV1().Secrets(namespace).Patch(w.Context(), secret,
		types.MergePatchType, []byte(patch), metav1.PatchOptions{})
	w.Check("patch "+secret, err)
}

func (w world) deleteSecret(name string) {
	w.Helper()
	w.Check("delete "+name, shared.Client.CoreV1().Secrets(namespace).Delete(w.Context(), name,
		metav1.DeleteOptions{}))
}

// bundles are the caBundles of all webhooks.
func bundles(ctx context.Context) ([]string, error) {
	var all []string
	api := shared.Client.AdmissionregistrationV1()
	mutating, err := api.MutatingWebhookConfigurations().Get(ctx, webhooks, metav1.GetOptions{})
	if err != nil {
		return nil, err
	}
	for _, webhook := range mutating.Webhooks {
		all = append(all, string(webhook.ClientConfig.CABundle))
	}
	validating, err := api.ValidatingWebhookConfigurations().Get(ctx, webhooks, metav1.GetOptions{})
	if err != nil {
		return nil, err
	}
	for _, webhook := range validating.Webhooks {
		all = append(all, string(webhook.ClientConfig.CABundle))
	}
	return all, nil
}

// consistent tells whether everybody trusts the same, and servers have what the authority signed.
func (w world) consistent() bool {
	authority := w.certificate(authoritySecret)
	trusted := string(w.secret(authoritySecret).Data[corev1.ServiceAccountRootCAKey])
	for _, name := range []string{admissionSecret, extenderSecret} {
		if string(w.secret(name).Data[corev1.ServiceAccountRootCAKey]) != trusted ||
			w.certificate(name).CheckSignatureFrom(authority) != nil {
			return false
		}
	}
	all, err := bundles(w.Context())
	w.Check("read caBundles", err)
	return strings.Repeat(trusted, len(all)) == strings.Join(all, "")
}

// serves tells whether a server shows the certificate of its Secret.
func (w world) serves(address, secret string) bool {
	shown, err := shownBy(w.Context(), address)
	return err == nil && shown.Equal(w.certificate(secret))
}

func (w world) awaitServed() {
	w.Helper()
	w.Await("the servers to show the certificates of their Secrets", func() bool {
		return w.serves(extenderAddress(), extenderSecret) && w.serves(admissionAddress(), admissionSecret)
	})
}
