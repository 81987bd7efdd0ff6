package box

import (
	"context"
	"fmt"
	"path/filepath"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func (b *Box) startEtcd(ctx context.Context) error {
	peerPort, err := freePort()
	if err != nil {
		return err
	}
	client, peer := "http://"+address(b.etcdPort), "http://"+address(peerPort)
	b.Etcd, err = b.newProcess("etcd", b.httpReady(client+"/readyz"),
		"--data-dir", filepath.Join(b.Dir, "etcd"), "--unsafe-no-fsync",
		"--listen-client-urls", client, "--advertise-client-urls", client,
		"--listen-peer-urls", peer, "--initial-advertise-peer-urls", peer,
		"--initial-cluster", "default="+peer, "--log-level", "warn")
	if err != nil {
		return err
	}
	return b.Etcd.Start(ctx)
}

func (b *Box) startAPIServer(ctx context.Context) error {
	serving, err := b.ca.Server("kube-apiserver", "kubernetes.default.svc")
	if err != nil {
		return err
	}
	if _, err := writeKey(b.serviceAccountKey()); err != nil {
		return err
	}
	arguments := b.apiServerArguments(serving)
	if b.Services != nil {
		egress, err := b.Services.writeEgress(b.Dir)
		if err != nil {
			return err
		}
		arguments = append(arguments, "--egress-selector-config-file", egress)
	}
	b.APIServer, err = b.newProcess("kube-apiserver", b.apiReady, arguments...)
	if err != nil {
		return err
	}
	return b.APIServer.Start(ctx)
}

func (b *Box) apiServerArguments(serving keyPair) []string {
	return []string{
		"--etcd-servers", "http://" + address(b.etcdPort),
		"--bind-address", "127.0.0.1", "--secure-port", fmt.Sprint(b.apiPort),
		"--endpoint-reconciler-type", "none", // 127.0.0.1 may not be an endpoint
		"--tls-cert-file", serving.CertFile, "--tls-private-key-file", serving.KeyFile,
		"--client-ca-file", b.ca.CertFile, "--token-auth-file", b.tokenFile(),
		// No front proxy is here; kube-scheduler complains without one's authority.
		"--requestheader-client-ca-file", b.ca.CertFile,
		"--requestheader-allowed-names", "front-proxy",
		"--authorization-mode", "RBAC",
		"--service-account-issuer", "https://kubernetes.default.svc",
		"--service-account-key-file", b.serviceAccountKey(),
		"--service-account-signing-key-file", b.serviceAccountKey(),
		"--service-cluster-ip-range", "10.96.0.0/16",
		// Nodes come with their conditions; no controller is here to take the taint off again.
		"--disable-admission-plugins", "TaintNodesByCondition",
		"--enable-priority-and-fairness=false",
		"--max-requests-inflight", "0", "--max-mutating-requests-inflight", "0",
	}
}

func (b *Box) apiReady(ctx context.Context) error {
	// An attempt that meets kube-apiserver half started may get no answer at all.
	ctx, cancel := context.WithTimeout(ctx, probeTimeout)
	defer cancel()
	_, err := b.Client.Discovery().RESTClient().Get().AbsPath("/readyz").DoRaw(ctx)
	return err
}

func (b *Box) serviceAccountKey() string { return filepath.Join(b.Dir, "service-account.key") }

// awaitUsable gives Berth its rights and waits until pods can be created in the namespace default.
func (b *Box) awaitUsable(ctx context.Context) error {
	if err := b.grantBerth(ctx); err != nil {
		return fmt.Errorf("grant berth its rights: %w", err)
	}
	return b.awaitPodsAllowed(ctx, metav1.NamespaceDefault)
}
