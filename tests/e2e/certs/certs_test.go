package certs

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"math/big"
	"slices"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	schedulerconfig "k8s.io/kube-scheduler/config/v1"
)

func TestCertificatesAreForTheirServersAndBelongToTheOwner(t *testing.T) {
	w := newWorld(t)
	w.Await("everything to fit together", w.consistent)
	found, err := shared.Client.CoreV1().Services(namespace).Get(t.Context(), service, metav1.GetOptions{})
	w.Check("read the service", err)
	certificate := w.certificate(admissionSecret)
	for _, name := range []string{"localhost", service, service + "." + namespace + ".svc",
		found.Spec.ClusterIP} {
		if err := certificate.VerifyHostname(name); err != nil {
			t.Error(err)
		}
	}
	config, err := shared.Client.CoreV1().ConfigMaps(namespace).Get(t.Context(), owner, metav1.GetOptions{})
	w.Check("read the owner", err)
	owned := func(meta metav1.ObjectMeta) bool {
		return len(meta.OwnerReferences) == 1 && meta.OwnerReferences[0].UID == config.UID
	}
	for _, name := range []string{authoritySecret, admissionSecret, extenderSecret} {
		secret := w.secret(name)
		if secret.Type != corev1.SecretTypeTLS || !owned(secret.ObjectMeta) {
			t.Errorf("%s is of type %s, its owners are %v", name, secret.Type, secret.OwnerReferences)
		}
	}
	w.Await("the lease to belong to the owner", func() bool {
		lease, err := shared.Client.CoordinationV1().Leases(namespace).Get(t.Context(),
			"berth-controller", metav1.GetOptions{})
		w.Check("read the lease", err)
		return owned(lease.ObjectMeta)
	})
}

// awaitPlaced waits until pods are created and placed: who has just lost a server backs off first.
func (w world) awaitPlaced() {
	w.Helper()
	var err error
	w.Await("a pod to be placed", func() bool {
		err = place(w.Context())
		return err == nil
	})
}

func TestNobodyNoticesThatACertificateIsDeleted(t *testing.T) {
	w := newWorld(t)
	w.controllers(1, longLife)
	w.underLoad(func() {
		for _, name := range []string{extenderSecret, admissionSecret} {
			w.deleteSecret(name)
		}
		w.Await("the Secrets to be there again", func() bool {
			list, err := shared.Client.CoreV1().Secrets(namespace).List(t.Context(), metav1.ListOptions{})
			w.Check("list secrets", err)
			return 2 == len(slices.DeleteFunc(list.Items, func(s corev1.Secret) bool {
				return s.Name != extenderSecret && s.Name != admissionSecret
			}))
		})
		w.awaitServed()
	})
}

func TestBundlesThatWereTamperedWithAreMended(t *testing.T) {
	w := newWorld(t)
	w.controllers(1, longLife)
	w.Await("everything to fit together", w.consistent)
	if output, err := w.berthCerts("show"); err != nil {
		t.Errorf("berth certs show finds a problem: %v\n%s", err, output)
	}
	patch := `[{"op":"replace","path":"/webhooks/0/clientConfig/caBundle","value":""}]`
	_, err := shared.Client.AdmissionregistrationV1().ValidatingWebhookConfigurations().Patch(
		t.Context(), webhooks, types.JSONPatchType, []byte(patch), metav1.PatchOptions{})
	w.Check("tamper", err)
	w.patch(extenderSecret, `{"data":{"ca.crt":null}}`)
	w.Await("everything to fit together again", w.consistent)
	w.awaitPlaced()
}

// Whoever made them had a clock that was ahead, or nothing good in mind.
func TestCertificatesFromTheFutureAreReplaced(t *testing.T) {
	w := newWorld(t)
	w.controllers(1, longLife)
	w.Await("everything to fit together", w.consistent)
	w.underLoad(func() {
		certificate, key := fromTheFuture(w)
		data, err := json.Marshal(map[string]any{"data": map[string][]byte{
			corev1.TLSCertKey: certificate, corev1.TLSPrivateKeyKey: key}})
		w.Check("write it as JSON", err)
		w.patch(extenderSecret, string(data))
		w.Await("everything to fit together again", w.consistent)
		w.awaitServed()
	})
}

func fromTheFuture(w world) (certificate, key []byte) {
	w.Helper()
	made, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	w.Check("make a key", err)
	template := &x509.Certificate{SerialNumber: big.NewInt(1), DNSNames: []string{"localhost"},
		NotBefore: time.Now().Add(24 * time.Hour), NotAfter: time.Now().Add(48 * time.Hour)}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &made.PublicKey, made)
	w.Check("sign", err)
	pkcs8, err := x509.MarshalPKCS8PrivateKey(made)
	w.Check("write the key", err)
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}),
		pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: pkcs8})
}

// Nobody can vouch for the authority that follows: kube-apiserver, which follows the caBundles,
// goes on, kube-scheduler has to be started again.
func TestAfterTheAuthorityWasDeletedTheSchedulerIsStartedAgain(t *testing.T) {
	w := newWorld(t)
	w.controllers(1, longLife)
	w.Await("everything to fit together", w.consistent)
	former := w.certificate(authoritySecret)
	w.deleteSecret(authoritySecret)
	w.Await("another authority", func() bool {
		_, err := shared.Client.CoreV1().Secrets(namespace).Get(t.Context(), authoritySecret,
			metav1.GetOptions{})
		// kube-apiserver never stops asking the webhook.
		w.Check("create a pod", dryRun(w))
		return err == nil && w.consistent()
	})
	w.awaitServed()
	all, err := bundles(t.Context())
	w.Check("read caBundles", err)
	if trusted := certificates([]byte(all[0])); !slices.ContainsFunc(trusted, former.Equal) {
		t.Error("the former authority is not trusted any more")
	}
	w.Check("start kube-scheduler again", shared.ReconfigureScheduler(t.Context(),
		func(*schedulerconfig.KubeSchedulerConfiguration) {}))
	w.awaitPlaced()
	w.Check("keep what kube-scheduler trusts now", keepSchedulersAuthorities())
}

func dryRun(w world) error {
	_, err := shared.Client.CoreV1().Pods(team).Create(w.Context(), gpuPod(),
		metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
	return err
}

// As after `helm uninstall`.
func TestWhenTheOwnerGoesAllGoes(t *testing.T) {
	w := newWorld(t)
	for _, controller := range controllers {
		controller.Stop()
	}
	w.Check("delete the owner", shared.Client.CoreV1().ConfigMaps(namespace).Delete(t.Context(), owner,
		metav1.DeleteOptions{}))
	w.Await("secrets and lease to go", func() bool {
		secrets, err := shared.Client.CoreV1().Secrets(namespace).List(t.Context(), metav1.ListOptions{})
		w.Check("list secrets", err)
		leases, err := shared.Client.CoordinationV1().Leases(namespace).List(t.Context(),
			metav1.ListOptions{})
		w.Check("list leases", err)
		return len(secrets.Items) == 0 && len(leases.Items) == 0
	})
}
