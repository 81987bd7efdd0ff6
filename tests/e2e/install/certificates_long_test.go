//go:build long

package install

import (
	"maps"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Neither a renewal nor another authority is a restart or a failed request: kube-scheduler, too, which
// reads its authority once, goes on.
func TestRenewedCertificatesAreTakenOverUnderLoad(t *testing.T) {
	for _, c := range []struct {
		name      string
		arguments []string
	}{{"certificates", nil}, {"authority", []string{"--authority"}}} {
		t.Run(c.name, func(t *testing.T) {
			w := release(t, nil)
			team := w.team("enforce")
			restarts, before := w.restarts(), w.serials()
			creates, placements := w.createSafely(team), w.place(team)
			w.berth(append([]string{"certs", "renew"}, c.arguments...)...)
			w.awaitNone("pods that show their former certificate", func() []string {
				var former []string
				for pod, serial := range w.serials() {
					if serial == before[pod] {
						former = append(former, pod)
					}
				}
				return former
			})
			creates.AwaitMore(leastLoad)
			placements.AwaitMore(2)
			creates.ExpectNoFailure(2 * leastLoad)
			placements.ExpectNoFailure(2)
			if got := w.restarts(); !maps.Equal(got, restarts) {
				t.Errorf("restarts %v, were %v", got, restarts)
			}
			w.awaitTrustedWebhooks()
		})
	}
}

func TestDeletedSecretIsMadeAgainUnderLoad(t *testing.T) {
	w := release(t, nil)
	creates := w.createSafely(w.team("enforce"))
	for _, name := range []string{admissionSecret, authoritySecret} {
		uid := w.secret(name).UID
		w.Check("delete "+name, shared.Client.CoreV1().Secrets(namespace).Delete(t.Context(), name,
			metav1.DeleteOptions{}))
		w.Await("another "+name, func() bool {
			now, err := shared.Client.CoreV1().Secrets(namespace).Get(t.Context(), name,
				metav1.GetOptions{})
			return err == nil && now.UID != uid && len(now.Data["tls.crt"]) > 0
		})
		creates.AwaitMore(leastLoad)
	}
	creates.ExpectNoFailure(2 * leastLoad)
	w.awaitTrustedWebhooks()
	// A kube-scheduler that runs trusts the former authority alone, so the next test needs others.
	w.uninstall()
}
