package box

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"

	"sigs.k8s.io/yaml"
)

// Controller is a `berth controller` of a box. Killed and started again it has the same port.
type Controller struct {
	*Process
	ConfigFile string
	MetricsURL string // plain: /metrics, /healthz, /readyz
}

// NewController makes a controller that Start starts; the box stops it at the latest. config holds
// top-level keys of Berth's configuration file beside those that the box writes (kubernetes,
// controller, metrics).
func (b *Box) NewController(name string, config map[string]any) (*Controller, error) {
	path, err := BerthBinary()
	if err != nil {
		return nil, err
	}
	port, err := freePort()
	if err != nil {
		return nil, err
	}
	file, err := b.writeControllerConfig(name, address(port), config)
	if err != nil {
		return nil, err
	}
	c := &Controller{ConfigFile: file, MetricsURL: "http://" + address(port)}
	c.Process = &Process{
		Name: name, LogFile: b.logFile(name), path: path,
		args:  []string{"controller", "--config", file},
		ready: b.httpReady(c.MetricsURL + "/readyz"),
	}
	b.add(c.Process)
	return c, nil
}

func (b *Box) writeControllerConfig(name, metrics string, more map[string]any) (string, error) {
	config := map[string]any{
		"apiVersion": "config.berth.dev/v1alpha1",
		"kind":       "BerthConfiguration",
		"kubernetes": map[string]any{"kubeconfig": b.kubeconfigOf(userBerthController)},
		// The extender's part has no defaults; a controller does not use it.
		"extender":   map[string]any{"listen": "127.0.0.1:0", "insecureLoopback": true},
		"controller": map[string]any{"lease": map[string]any{"namespace": leaseNamespace}},
		"metrics":    map[string]any{"listen": metrics},
		"log":        map[string]any{"level": "debug"},
	}
	maps.Copy(config, more)
	content, err := yaml.Marshal(config)
	if err != nil {
		return "", fmt.Errorf("configuration of %s: %w", name, err)
	}
	file := filepath.Join(b.Dir, name+".yaml")
	return file, os.WriteFile(file, content, 0o600)
}

// Metrics scrapes the controller.
func (c *Controller) Metrics(ctx context.Context) (Samples, error) {
	return readMetrics(ctx, c.MetricsURL)
}
