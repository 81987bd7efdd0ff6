package install

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"net/http"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

const (
	authoritySecret = "berth-ca"
	extenderSecret  = "berth-extender-tls"
	admissionSecret = "berth-admission-tls"
	schedulerSecret = "berth-scheduler-tls"
)

// servers are those for which the controller makes certificates: Secret, Service, and the component
// whose pods serve.
var servers = []struct{ secret, service, component string }{
	{extenderSecret, "berth-extender", "extender"},
	{admissionSecret, "berth-admission", "admission"},
}

// What clients are told to trust is what the pods show, under every name by which they are called.
func TestCertificatesReachTheServers(t *testing.T) {
	w := release(t, nil)
	w.awaitTrustedWebhooks()
	for _, server := range servers {
		service, err := shared.Client.CoreV1().Services(namespace).Get(t.Context(), server.service,
			metav1.GetOptions{})
		w.Check("get "+server.service, err)
		names := []string{server.service + "." + namespace + ".svc", service.Spec.ClusterIP}
		for _, pod := range w.component(server.component) {
			for _, name := range names {
				_, err := w.shown(pod.Name, name, w.secret(server.secret).Data["ca.crt"])
				if err != nil {
					t.Errorf("%s as %s: %v", pod.Name, name, err)
				}
			}
		}
	}
}

// The extender answers the chart's own kube-scheduler, and nobody else in the cluster.
func TestExtenderAnswersNobodyElse(t *testing.T) {
	w := release(t, nil)
	known, err := tls.X509KeyPair(w.secret(schedulerSecret).Data["tls.crt"],
		w.secret(schedulerSecret).Data["tls.key"])
	w.Check("read kube-scheduler's certificate", err)
	// Of the same authority, but made for servers.
	neighbour, err := tls.X509KeyPair(w.secret(admissionSecret).Data["tls.crt"],
		w.secret(admissionSecret).Data["tls.key"])
	w.Check("read the webhook's certificate", err)
	for _, c := range []struct {
		name     string
		shown    []tls.Certificate
		answered bool
	}{
		{"kube-scheduler", []tls.Certificate{known}, true}, {"nobody", nil, false},
		{"the webhook", []tls.Certificate{neighbour}, false},
	} {
		for _, pod := range w.component("extender") {
			status, err := w.ask(pod.Name, c.shown)
			if c.answered && (err != nil || status != http.StatusOK) || !c.answered && err == nil {
				t.Errorf("%s asks %s: %d, %v", c.name, pod.Name, status, err)
			}
		}
	}
}

// ask posts a filter request without nodes to an extender and returns the status of its answer.
func (w *world) ask(pod string, shown []tls.Certificate) (int, error) {
	w.Helper()
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(w.secret(extenderSecret).Data["ca.crt"])
	transport := &http.Transport{TLSClientConfig: &tls.Config{MinVersion: tls.VersionTLS12,
		RootCAs: roots, ServerName: "berth-extender." + namespace + ".svc", Certificates: shown}}
	defer transport.CloseIdleConnections()
	body := strings.NewReader(`{"Pod":{"metadata":{"name":"p","namespace":"d","uid":"u"},"spec":{}},` +
		`"Nodes":null,"NodeNames":[]}`)
	request, err := http.NewRequestWithContext(w.Context(), http.MethodPost,
		"https://"+shared.Kubelet.Addresses("https")[pod]+"/filter", body)
	w.Check("make a request", err)
	request.Header.Set("Content-Type", "application/json")
	response, err := transport.RoundTrip(request)
	if err != nil {
		return 0, err
	}
	return response.StatusCode, response.Body.Close()
}

// Programs that parse what users send hold neither the authority's key nor a token that may write.
func TestKeysAreWhereTheyBelong(t *testing.T) {
	w := release(t, nil)
	for _, component := range []string{"admission", "extender", "scheduler", "controller"} {
		for _, pod := range w.component(component) {
			for _, volume := range pod.Spec.Volumes {
				if volume.Secret != nil && volume.Secret.SecretName == authoritySecret {
					t.Errorf("%s mounts the authority's key", pod.Name)
				}
				if component == "admission" && volume.Projected != nil {
					t.Errorf("%s has a token", pod.Name)
				}
			}
			if component == "extender" && len(pod.Spec.Containers) != 1 {
				t.Errorf("%s has %d containers", pod.Name, len(pod.Spec.Containers))
			}
		}
	}
}

// What kube-scheduler shows is renewed as well, and read again without a restart.
func TestRenewedClientCertificateIsTakenOver(t *testing.T) {
	w := release(t, nil)
	placements := w.place(w.team("enforce"))
	placements.AwaitMore(1)
	before := w.secret(schedulerSecret).Data["tls.crt"]
	w.berth("certs", "renew", schedulerSecret)
	w.Await("another certificate", func() bool {
		return !bytes.Equal(before, w.secret(schedulerSecret).Data["tls.crt"])
	})
	w.replaceOne("extender") // which ends the connections that were made with the former one
	placements.AwaitMore(2)
	placements.ExpectNoFailure(3)
}

// serials are those of the certificates that pods show, by the name of the pod.
func (w *world) serials() map[string]string {
	w.Helper()
	serials := map[string]string{}
	for _, server := range servers {
		for _, pod := range w.component(server.component) {
			shown, err := w.shown(pod.Name, server.service+"."+namespace+".svc",
				w.secret(server.secret).Data["ca.crt"])
			w.Check("connect to "+pod.Name, err)
			serials[pod.Name] = shown.SerialNumber.String()
		}
	}
	return serials
}

// shown is the certificate that a pod shows to who calls it by the name and trusts the authority.
func (w *world) shown(pod, name string, authority []byte) (*x509.Certificate, error) {
	roots := x509.NewCertPool()
	if !roots.AppendCertsFromPEM(authority) {
		return nil, fmt.Errorf("no certificates in %q", authority)
	}
	dialer := tls.Dialer{Config: &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: roots,
		ServerName: name}}
	connection, err := dialer.DialContext(w.Context(), "tcp", shared.Kubelet.Addresses("https")[pod])
	if err != nil {
		return nil, err
	}
	defer connection.Close()
	return connection.(*tls.Conn).ConnectionState().PeerCertificates[0], nil
}

func (w *world) secret(name string) *corev1.Secret {
	w.Helper()
	secret, err := shared.Client.CoreV1().Secrets(namespace).Get(w.Context(), name,
		metav1.GetOptions{})
	w.Check("get Secret "+name, err)
	return secret
}

// awaitTrustedWebhooks waits until every webhook has the authority that signs. The controller writes
// one configuration after the other, so the first may work before the second is written.
func (w *world) awaitTrustedWebhooks() {
	w.Helper()
	w.Await("the webhooks to trust the authority", func() bool { return w.webhooksTrust() == nil })
}

func (w *world) webhooksTrust() error {
	w.Helper()
	bundles, err := caBundles(w.Context())
	w.Check("get the webhook configurations", err)
	authority := w.secret(authoritySecret).Data["tls.crt"]
	signing, _ := pem.Decode(authority)
	if signing == nil {
		return fmt.Errorf("no certificate in %q", authority)
	}
	for name, bundle := range bundles {
		if !holds(bundle, signing.Bytes) {
			return fmt.Errorf("webhook %s does not trust the authority that signs", name)
		}
	}
	return nil
}

// caBundles are those of all webhooks of the release.
func caBundles(ctx context.Context) (map[string][]byte, error) {
	webhooks := shared.Client.AdmissionregistrationV1()
	mutating, err := webhooks.MutatingWebhookConfigurations().Get(ctx, releaseName,
		metav1.GetOptions{})
	if err != nil {
		return nil, err
	}
	validating, err := webhooks.ValidatingWebhookConfigurations().Get(ctx, releaseName,
		metav1.GetOptions{})
	if err != nil {
		return nil, err
	}
	bundles := map[string][]byte{}
	for _, webhook := range mutating.Webhooks {
		bundles[webhook.Name] = webhook.ClientConfig.CABundle
	}
	for _, webhook := range validating.Webhooks {
		bundles[webhook.Name] = webhook.ClientConfig.CABundle
	}
	return bundles, nil
}

func holds(bundle, certificate []byte) bool {
	for block, rest := pem.Decode(bundle); block != nil; block, rest = pem.Decode(rest) {
		if bytes.Equal(block.Bytes, certificate) {
			return true
		}
	}
	return false
}
