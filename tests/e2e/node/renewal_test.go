//go:build cluster

package node

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"maps"
	"net"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"berth.dev/berth/tests/e2e/load"
)

const (
	renewalRounds = 3
	dialPause     = 100 * time.Millisecond
)

// tlsServers are those whose certificates the controller makes: Secret, component, port of its pods.
var tlsServers = []struct{ secret, service, component, port string }{
	{"berth-admission-tls", "berth-admission", "admission", "9443"},
	{"berth-extender-tls", "berth-extender", "extender", "8443"},
}

// The controller looks every ten seconds, and each time it is asked for new certificates, once by
// another authority. kubelet brings them into the pods; whoever connects meanwhile
// trusts what it is shown, one who has read the authority once, as kube-scheduler, too.
func TestRenewalsLoseNothing(t *testing.T) {
	r := ofRelease(t)
	r.roadway()
	veterans := r.authorities("berth-ca")
	traffic := r.startTraffic(r.team(), carelessErrands)
	dials := load.Start(t, "connections", 1, dialPause, func(ctx context.Context) error {
		return r.dialAll(ctx, veterans)
	})
	pods, restarts := r.uids(), r.restarts()
	for round := range renewalRounds {
		before := r.serials(veterans)
		if round == 1 {
			r.askForRenewal("berth-ca")
		}
		for _, server := range tlsServers {
			r.askForRenewal(server.secret)
		}
		r.Await("every pod to show another certificate", func() bool {
			for address, serial := range r.serials(veterans) {
				if serial == before[address] {
					return false
				}
			}
			return true
		})
		traffic.awaitMore(leastTraffic)
	}
	dials.ExpectNoFailure(renewalRounds)
	traffic.expectNothingLost(renewalRounds * leastTraffic)
	if got := r.restarts(); got != restarts || !maps.Equal(pods, r.uids()) {
		t.Errorf("%d restarts, were %d; pods %v, were %v", got, restarts, r.uids(), pods)
	}
}

// askForRenewal writes what `berth certs renew` does.
func (r *release) askForRenewal(secret string) {
	r.Helper()
	patch := fmt.Sprintf(`{"metadata":{"annotations":{"berth.dev/renew":%q}}}`,
		time.Now().Format(time.RFC3339Nano))
	_, err := shared.Client.CoreV1().Secrets(namespace).Patch(r.Context(), secret,
		types.MergePatchType, []byte(patch), metav1.PatchOptions{})
	r.Check("ask for another "+secret, err)
}

// authorities are those that a Secret tells to trust.
func (r *release) authorities(secret string) *x509.CertPool {
	r.Helper()
	roots, err := authoritiesOf(r.Context(), secret)
	r.Check("read the authorities", err)
	return roots
}

func authoritiesOf(ctx context.Context, secret string) (*x509.CertPool, error) {
	got, err := shared.Client.CoreV1().Secrets(namespace).Get(ctx, secret, metav1.GetOptions{})
	if err != nil {
		return nil, err
	}
	roots := x509.NewCertPool()
	if !roots.AppendCertsFromPEM(got.Data["ca.crt"]) {
		return nil, fmt.Errorf("%s has no authorities", secret)
	}
	return roots, nil
}

// dialAll connects to every server, as who trusts the authorities of now, and as a veteran.
func (r *release) dialAll(ctx context.Context, veterans *x509.CertPool) error {
	roots, err := authoritiesOf(ctx, "berth-ca")
	if err != nil {
		return err
	}
	for _, trusted := range []*x509.CertPool{roots, veterans} {
		if _, err := serialsShown(ctx, trusted); err != nil {
			return err
		}
	}
	return nil
}

func (r *release) serials(trusted *x509.CertPool) map[string]string {
	r.Helper()
	serials, err := serialsShown(r.Context(), trusted)
	r.Check("connect", err)
	return serials
}

// serialsShown are those of the servers' certificates, by address.
func serialsShown(ctx context.Context, trusted *x509.CertPool) (map[string]string, error) {
	serials := map[string]string{}
	for _, server := range tlsServers {
		pods, err := shared.Client.CoreV1().Pods(namespace).List(ctx, metav1.ListOptions{
			LabelSelector: "app.kubernetes.io/component=" + server.component})
		if err != nil {
			return nil, err
		}
		dialer := tls.Dialer{Config: &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: trusted,
			ServerName: server.service + "." + namespace + ".svc"}}
		for _, pod := range pods.Items {
			address := net.JoinHostPort(pod.Status.PodIP, server.port)
			connection, err := dialer.DialContext(ctx, "tcp", address)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", pod.Name, err)
			}
			shown := connection.(*tls.Conn).ConnectionState().PeerCertificates[0]
			serials[address] = shown.SerialNumber.String()
			_ = connection.Close()
		}
	}
	return serials, nil
}
