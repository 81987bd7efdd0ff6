package box

import (
	"context"
	_ "embed"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// controllers are those whose work the tests and the demo meet. node-lifecycle stays out: it would
// taint nodes by itself, and no kubelet is here.
var controllers = []string{
	"cronjob-controller", "daemonset-controller", "deployment-controller",
	"garbage-collector-controller", "job-controller", "namespace-controller",
	"pod-garbage-collector-controller", "replicaset-controller",
	"root-ca-certificate-publisher-controller", "serviceaccount-controller",
	"serviceaccount-token-controller", "statefulset-controller",
}

// nodeLeaseSeconds is how long a lease of a node is good for; KWOK renews it four times as often.
const nodeLeaseSeconds = 120

//go:embed pods.stages.yaml
var podStages string

func (b *Box) startControllerManager(ctx context.Context) error {
	port, serving, err := b.newServer("kube-controller-manager")
	if err != nil {
		return err
	}
	b.ControllerManager, err = b.newProcess("kube-controller-manager",
		b.httpReady("https://"+address(port)+"/healthz"),
		"--kubeconfig", b.kubeconfigOf(userControllerManager),
		"--bind-address", "127.0.0.1", "--secure-port", fmt.Sprint(port),
		"--tls-cert-file", serving.CertFile, "--tls-private-key-file", serving.KeyFile,
		"--controllers", strings.Join(controllers, ","), "--leader-elect=false",
		"--use-service-account-credentials",
		"--service-account-private-key-file", b.serviceAccountKey(), "--root-ca-file", b.ca.CertFile,
		"--kube-api-qps", "500", "--kube-api-burst", "500")
	if err != nil {
		return err
	}
	return b.ControllerManager.Start(ctx)
}

func (b *Box) startKwok(ctx context.Context) error {
	port, err := freePort()
	if err != nil {
		return err
	}
	stages := filepath.Join(b.Dir, "stages.yaml")
	content := podStages + "\n---\n" + b.options.Stages
	if err := os.WriteFile(stages, []byte(content), 0o600); err != nil {
		return err
	}
	b.Kwok, err = b.newProcess("kwok", b.httpReady("http://"+address(port)+"/readyz"),
		"--kubeconfig", b.kubeconfigOf(userKwok), "--config", stages,
		"--manage-all-nodes", "--server-address", address(port),
		"--node-lease-duration-seconds", fmt.Sprint(nodeLeaseSeconds))
	if err != nil {
		return err
	}
	return b.Kwok.Start(ctx)
}
