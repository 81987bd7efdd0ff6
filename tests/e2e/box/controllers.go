package box

import (
	"context"
	_ "embed"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// controllers are those whose work the tests and the demo meet. node-lifecycle stays out: it would
// taint nodes by itself.
var controllers = []string{
	"cronjob-controller", "daemonset-controller", "deployment-controller",
	"garbage-collector-controller", "job-controller", "namespace-controller",
	"pod-garbage-collector-controller", "replicaset-controller",
	"root-ca-certificate-publisher-controller", "serviceaccount-controller",
	"serviceaccount-token-controller", "statefulset-controller",
}

// kubeletControllers are those that a chart's own objects need beside them.
var kubeletControllers = []string{"disruption-controller", "resourcequota-controller"}

// nodeControllers are those without which a real node reaches nothing and is given pods while it is
// short of disk, and pods get no volumes, or their claims are never gone.
var nodeControllers = []string{
	"disruption-controller", "endpointslice-controller", "node-lifecycle-controller",
	"persistentvolume-binder-controller", "persistentvolume-protection-controller",
	"persistentvolumeclaim-protection-controller", "resourcequota-controller",
}

//go:embed pods.stages.yaml
var podStages string

// kwokOptions let KWOK patch more objects at a time than its default of 4: on a loaded machine it
// would fall behind kube-scheduler. A configuration has no defaults but KWOK's own file, so what
// that sets is repeated.
const kwokOptions = `
apiVersion: config.kwok.x-k8s.io/v1alpha1
kind: KwokConfiguration
options:
  podPlayStageParallelism: 16
  nodePlayStageParallelism: 16
  podsOnNodeSyncParallelism: 16
  enablePodsOnNodeSyncStreamWatch: true
---
`

func (b *Box) startControllerManager(ctx context.Context) error {
	port, serving, err := b.newServer("kube-controller-manager")
	if err != nil {
		return err
	}
	wanted := controllers
	if b.options.Kubelet {
		wanted = slices.Concat(controllers, kubeletControllers)
	}
	if b.options.NodeAddress != "" {
		wanted = slices.Concat(wanted, nodeControllers)
	}
	b.ControllerManager, err = b.newProcess("kube-controller-manager",
		b.httpReady("https://"+address(port)+"/healthz"),
		"--kubeconfig", b.kubeconfigOf(userControllerManager),
		"--bind-address", "127.0.0.1", "--secure-port", fmt.Sprint(port),
		"--tls-cert-file", serving.CertFile, "--tls-private-key-file", serving.KeyFile,
		"--controllers", strings.Join(wanted, ","), "--leader-elect=false",
		"--use-service-account-credentials",
		"--service-account-private-key-file", b.serviceAccountKey(), "--root-ca-file", b.ca.CertFile,
		// KWOK's nodes give no sign of life, and are well all the same.
		"--node-monitor-grace-period", "24h",
		// By default it deletes the oldest of more than 12,500 pods that have ended, and those who
		// count them at the end of a large test would miss some.
		"--terminated-pod-gc-threshold", "0",
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
	content := kwokOptions + podStages + "\n---\n" + b.options.Stages
	if err := os.WriteFile(stages, []byte(content), 0o600); err != nil {
		return err
	}
	managed := []string{"--manage-all-nodes"}
	if b.options.NodeAddress != "" {
		managed = []string{"--manage-nodes-with-label-selector", "!" + LabelRealNode}
	}
	b.Kwok, err = b.newProcess("kwok", b.httpReady("http://"+address(port)+"/readyz"),
		slices.Concat(managed, []string{
			"--kubeconfig", b.kubeconfigOf(userKwok), "--config", stages,
			"--server-address", address(port),
			// Nobody here reads leases of nodes, and a KWOK that is started again under another name
			// would wait until its predecessor's have expired.
			"--node-lease-duration-seconds", "0"})...)
	if err != nil {
		return err
	}
	return b.Kwok.Start(ctx)
}
