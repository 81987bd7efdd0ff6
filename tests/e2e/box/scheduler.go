package box

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
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
	b.schedulerURL = "https://" + address(port)
	kubeconfig := b.kubeconfigOf(userScheduler)
	arguments := []string{
		"--config", config, "--bind-address", "127.0.0.1", "--secure-port", fmt.Sprint(port),
		"--tls-cert-file", serving.CertFile, "--tls-private-key-file", serving.KeyFile,
		"--authentication-kubeconfig", kubeconfig, "--authorization-kubeconfig", kubeconfig,
		"--authentication-tolerate-lookup-failure"}
	if b.options.PodGroups {
		arguments = append(arguments, podGroupFeature...)
	}
	b.Scheduler, err = b.newProcess("kube-scheduler", b.httpReady(b.schedulerURL+"/readyz"),
		arguments...)
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

// UseScheduler has the next start of kube-scheduler run this one of the programs that build.sh
// builds; Options.Programs may replace it.
func (b *Box) UseScheduler(program string) error {
	path, err := b.pathOf(program)
	if err != nil {
		return err
	}
	b.Scheduler.mu.Lock()
	defer b.Scheduler.mu.Unlock()
	b.Scheduler.path = path
	return nil
}

// ProfileScheduler has kube-scheduler profile its CPU time for as long (whole seconds), and writes
// what `go tool pprof` reads.
func (b *Box) ProfileScheduler(ctx context.Context, length time.Duration, w io.Writer) error {
	body, err := b.askScheduler(ctx, fmt.Sprintf("/debug/pprof/profile?seconds=%.0f", length.Seconds()))
	if err != nil {
		return err
	}
	defer body.Close()
	_, err = io.Copy(w, body)
	return err
}

// SchedulerMetrics scrapes kube-scheduler.
func (b *Box) SchedulerMetrics(ctx context.Context) (Samples, error) {
	body, err := b.askScheduler(ctx, "/metrics")
	if err != nil {
		return nil, err
	}
	defer body.Close()
	return readSamples(body)
}

// askScheduler gets a path of kube-scheduler's server. The caller closes what it returns.
func (b *Box) askScheduler(ctx context.Context, path string) (io.ReadCloser, error) {
	client, err := rest.HTTPClientFor(b.Config)
	if err != nil {
		return nil, err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, b.schedulerURL+path, nil)
	if err != nil {
		return nil, err
	}
	response, err := client.Do(request)
	if err != nil {
		return nil, err
	}
	if response.StatusCode != http.StatusOK {
		response.Body.Close()
		return nil, fmt.Errorf("%s answers %s", request.URL, response.Status)
	}
	return response.Body, nil
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
	content, err := schedulerYAML(config)
	if err != nil {
		return "", err
	}
	path := filepath.Join(b.Dir, "kube-scheduler.yaml")
	return path, os.WriteFile(path, content, 0o600)
}

// schedulerYAML leaves out what is empty: the types write all extension points that they know, and
// an earlier kube-scheduler refuses those that it does not.
func schedulerYAML(config schedulerconfig.KubeSchedulerConfiguration) ([]byte, error) {
	content, err := yaml.Marshal(config)
	if err != nil {
		return nil, err
	}
	var fields map[string]any
	if err := yaml.Unmarshal(content, &fields); err != nil {
		return nil, err
	}
	dropEmpty(fields)
	return yaml.Marshal(fields)
}

// dropEmpty removes the maps without keys from a map, and from those in it.
func dropEmpty(value any) {
	switch value := value.(type) {
	case map[string]any:
		for key, inner := range value {
			dropEmpty(inner)
			if fields, isMap := inner.(map[string]any); isMap && len(fields) == 0 {
				delete(value, key)
			}
		}
	case []any:
		for _, inner := range value {
			dropEmpty(inner)
		}
	}
}
