package box

import (
	"context"
	"fmt"
	"path/filepath"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

const (
	serviceRange       = "10.96.0.0/16"
	serviceOfAPIServer = "10.96.0.1" // the first address of serviceRange
)

// podGroupFeature is an argument of each program that is to know PodGroups.
var podGroupFeature = []string{"--feature-gates", "GenericWorkload=true"}

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
	hosts := []string{"kubernetes.default.svc"}
	if b.options.NodeAddress != "" {
		hosts = append(hosts, b.options.NodeAddress, serviceOfAPIServer)
	}
	serving, err := b.ca.Server("kube-apiserver", hosts...)
	if err != nil {
		return err
	}
	if _, err := writeKey(b.serviceAccountKey()); err != nil {
		return err
	}
	arguments := append(b.apiServerArguments(serving), b.loopbackArguments()...)
	if b.options.NodeAddress != "" {
		login, err := b.ca.Client("kube-apiserver-kubelet-client", groupMasters)
		if err != nil {
			return err
		}
		arguments = append(b.apiServerArguments(serving), b.nodeArguments(login)...)
	}
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
	arguments := []string{
		"--etcd-servers", "http://" + address(b.etcdPort),
		"--secure-port", fmt.Sprint(b.apiPort),
		"--tls-cert-file", serving.CertFile, "--tls-private-key-file", serving.KeyFile,
		"--client-ca-file", b.ca.CertFile, "--token-auth-file", b.tokenFile(),
		// No front proxy is here; kube-scheduler complains without one's authority.
		"--requestheader-client-ca-file", b.ca.CertFile,
		"--requestheader-allowed-names", "front-proxy",
		"--service-account-issuer", "https://kubernetes.default.svc",
		"--service-account-key-file", b.serviceAccountKey(),
		"--service-account-signing-key-file", b.serviceAccountKey(),
		"--service-cluster-ip-range", serviceRange,
		// Nodes come with their conditions; no controller is here to take the taint off again.
		"--disable-admission-plugins", "TaintNodesByCondition",
		"--allow-privileged", // as kubeadm and all clouds have it
		"--enable-priority-and-fairness=false",
		"--max-requests-inflight", "0", "--max-mutating-requests-inflight", "0",
	}
	if b.options.PodGroups {
		arguments = append(arguments, podGroupFeature...)
		arguments = append(arguments, "--runtime-config", "scheduling.k8s.io/v1beta1=true")
	}
	return arguments
}

func (b *Box) loopbackArguments() []string {
	return []string{
		"--bind-address", "127.0.0.1",
		"--endpoint-reconciler-type", "none", // 127.0.0.1 may not be an endpoint
		"--authorization-mode", "RBAC",
	}
}

// nodeArguments are for a kubelet, which kube-apiserver calls for logs, too.
func (b *Box) nodeArguments(login keyPair) []string {
	return []string{
		"--bind-address", "0.0.0.0", "--advertise-address", b.options.NodeAddress,
		"--authorization-mode", "Node,RBAC",
		"--kubelet-preferred-address-types", "InternalIP", // nobody resolves the node's name
		"--kubelet-client-certificate", login.CertFile, "--kubelet-client-key", login.KeyFile,
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
