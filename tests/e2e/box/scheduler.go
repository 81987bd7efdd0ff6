package box

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	schedulerconfig "k8s.io/kube-scheduler/config/v1"
	"sigs.k8s.io/yaml"
)

const schedulerQPS = 1000

func (b *Box) startScheduler(ctx context.Context) error {
	port, serving, err := b.newServer("kube-scheduler")
	if err != nil {
		return err
	}
	config, err := b.writeSchedulerConfig()
	if err != nil {
		return err
	}
	kubeconfig := b.kubeconfigOf(userScheduler)
	b.Scheduler, err = b.newProcess("kube-scheduler", b.httpReady("https://"+address(port)+"/readyz"),
		"--config", config, "--bind-address", "127.0.0.1", "--secure-port", fmt.Sprint(port),
		"--tls-cert-file", serving.CertFile, "--tls-private-key-file", serving.KeyFile,
		"--authentication-kubeconfig", kubeconfig, "--authorization-kubeconfig", kubeconfig,
		"--authentication-tolerate-lookup-failure")
	if err != nil {
		return err
	}
	return b.Scheduler.Start(ctx)
}

func (b *Box) writeSchedulerConfig() (string, error) {
	config := schedulerconfig.KubeSchedulerConfiguration{TypeMeta: metav1.TypeMeta{
		APIVersion: schedulerconfig.SchemeGroupVersion.String(), Kind: "KubeSchedulerConfiguration",
	}}
	config.ClientConnection.Kubeconfig = b.kubeconfigOf(userScheduler)
	config.ClientConnection.QPS, config.ClientConnection.Burst = schedulerQPS, schedulerQPS
	config.LeaderElection.LeaderElect = new(bool)
	if b.Berth != nil {
		config.Extenders = []schedulerconfig.Extender{b.Berth.extender()}
	}
	if b.options.Scheduler != nil {
		b.options.Scheduler(&config)
	}
	content, err := yaml.Marshal(config)
	if err != nil {
		return "", err
	}
	path := filepath.Join(b.Dir, "kube-scheduler.yaml")
	return path, os.WriteFile(path, content, 0o600)
}
