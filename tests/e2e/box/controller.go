package box

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"sigs.k8s.io/yaml"
)

// Controller is a `berth controller` of a box. Killed and started again it has the same ports.
type Controller struct {
	*Process
	ConfigFile string
	MetricsURL string // plain: /metrics, /healthz, /readyz
	GRPC       string // address, plain

	own map[string]any // keys of the configuration that the box writes
}

// NewController makes a controller that Start starts; the box stops it at the latest. config holds
// keys of Berth's configuration file beside those that the box writes (kubernetes,
// controller, metrics, grpc).
func (b *Box) NewController(name string, config map[string]any) (*Controller, error) {
	path, err := BerthBinary()
	if err != nil {
		return nil, err
	}
	port, err := freePort()
	if err != nil {
		return nil, err
	}
	grpcPort, err := freePort()
	if err != nil {
		return nil, err
	}
	c := &Controller{ConfigFile: filepath.Join(b.Dir, name+".yaml"),
		MetricsURL: "http://" + address(port), GRPC: address(grpcPort)}
	c.own = b.controllerConfig(address(port), c.GRPC)
	if err := c.Configure(config); err != nil {
		return nil, err
	}
	c.Process = &Process{
		Name: name, LogFile: b.logFile(name), path: path,
		args:  []string{"controller", "--config", c.ConfigFile},
		ready: b.httpReady(c.MetricsURL + "/readyz"),
	}
	b.add(c.Process)
	return c, nil
}

func (b *Box) controllerConfig(metrics, grpc string) map[string]any {
	return map[string]any{
		"apiVersion": "config.berth.dev/v1alpha1",
		"kind":       "BerthConfiguration",
		"kubernetes": map[string]any{"kubeconfig": b.kubeconfigOf(userBerthController)},
		// The extender's part has no defaults; a controller does not use it.
		"extender":   map[string]any{"listen": "127.0.0.1:0", "insecureLoopback": true},
		"controller": map[string]any{"lease": map[string]any{"namespace": leaseNamespace}},
		"metrics":    map[string]any{"listen": metrics},
		"grpc":       map[string]any{"listen": grpc},
		"log":        map[string]any{"level": "debug"},
	}
}

// Configure has the controller, when it is started next, take other keys than those that
// NewController was given.
func (c *Controller) Configure(config map[string]any) error {
	content, err := yaml.Marshal(merged(c.own, config))
	if err != nil {
		return fmt.Errorf("configuration of %s: %w", c.ConfigFile, err)
	}
	return os.WriteFile(c.ConfigFile, content, 0o600)
}

// Metrics scrapes the controller.
func (c *Controller) Metrics(ctx context.Context) (Samples, error) {
	return readMetrics(ctx, c.MetricsURL)
}
