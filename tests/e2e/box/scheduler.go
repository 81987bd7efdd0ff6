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
	config, err := b.writeSchedulerConfig(nil)
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
	if b.Services != nil {
		b.Scheduler.env = []string{"HTTPS_PROXY=" + b.Services.URL} // loopback is exempt
	}
	return b.Scheduler.Start(ctx)
}

// ReconfigureScheduler starts kube-scheduler again with a configuration that is changed after
// Options.Scheduler's changes.
func (b *Box) ReconfigureScheduler(
	ctx context.Context, change func(*schedulerconfig.KubeSchedulerConfiguration),
) error {
	b.Scheduler.Stop()
	if _, err := b.writeSchedulerConfig(change); err != nil {
		return err
	}
	return b.Scheduler.Start(ctx)
}

func (b *Box) writeSchedulerConfig(
	change func(*schedulerconfig.KubeSchedulerConfiguration),
) (string, error) {
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
	if change != nil {
		change(&config)
	}
	content, err := yaml.Marshal(config)
	if err != nil {
		return "", err
	}
	path := filepath.Join(b.Dir, "kube-scheduler.yaml")
	return path, os.WriteFile(path, content, 0o600)
}
