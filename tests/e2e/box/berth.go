package box

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	schedulerconfig "k8s.io/kube-scheduler/config/v1"
	"sigs.k8s.io/yaml"
)

const (
	extenderTimeout = 5 * time.Second
	// One rank step is 10 × weight: 310 beats what Fit, BalancedAllocation and ImageLocality can
	// differ by together (300).
	extenderWeight = 31
)

// ManagedResources are the resources of Berth's default catalogue; kube-scheduler asks Berth about
// pods that request one of them.
var ManagedResources = []string{"nvidia.com/gpu", "preferred.jp/mncore", "preferred.jp/mncore2"}

// BerthOptions change how Berth runs in the box.
type BerthOptions struct {
	// Config holds keys of Berth's configuration file beside those that the box writes (kubernetes,
	// metrics, grpc, listen and tls of extender). Default: none, which is Berth's own defaults.
	Config map[string]any
	// Kubeconfig replaces the one with Berth's client certificate. Called when kube-apiserver is up.
	Kubeconfig func(*Box) (string, error)
	// Certificates names a folder with tls.crt and tls.key for the extender, and with ca.crt, by
	// which kube-scheduler verifies it. Called when kube-apiserver is up. Default: a certificate of
	// the box's authority.
	Certificates func(context.Context, *Box) (string, error)
}

// Berth is the extender of a box. Killed and started again it has the same ports.
type Berth struct {
	*Process
	ConfigFile string
	URL        string // of the extender: https, a client certificate of the box's authority needed
	MetricsURL string // plain: /metrics, /healthz, /readyz
	GRPC       string // address, plain

	caFile string
	client keyPair        // kube-scheduler's
	own    map[string]any // keys of the configuration that the box writes
}

func (b *Box) startBerth(ctx context.Context) error {
	if b.options.Berth == nil {
		return nil
	}
	port, serving, err := b.newServer("berth")
	if err != nil {
		return err
	}
	metricsPort, err := freePort()
	if err != nil {
		return err
	}
	grpcPort, err := freePort()
	if err != nil {
		return err
	}
	path, err := BerthBinary()
	if err != nil {
		return err
	}
	berth := &Berth{URL: "https://" + address(port), MetricsURL: "http://" + address(metricsPort),
		GRPC: address(grpcPort)}
	berth.caFile = b.ca.CertFile
	if b.options.Berth.Certificates != nil {
		folder, err := b.options.Berth.Certificates(ctx, b)
		if err != nil {
			return fmt.Errorf("certificate of the extender: %w", err)
		}
		serving = keyPair{CertFile: filepath.Join(folder, corev1.TLSCertKey),
			KeyFile: filepath.Join(folder, corev1.TLSPrivateKeyKey)}
		berth.caFile = filepath.Join(folder, corev1.ServiceAccountRootCAKey)
	}
	if err := b.writeBerthFiles(berth, serving, address(port), address(metricsPort)); err != nil {
		return err
	}
	berth.Process = &Process{
		Name: "berth", LogFile: b.logFile("berth"), path: path,
		args:  []string{"extender", "--config", berth.ConfigFile},
		ready: b.httpReady(berth.MetricsURL + "/readyz"),
	}
	b.Berth = berth
	return berth.Start(ctx)
}

func (b *Box) writeBerthFiles(berth *Berth, serving keyPair, listen, metrics string) error {
	var err error
	if berth.client, err = b.ca.Client("kube-scheduler-to-berth"); err != nil {
		return err
	}
	kubeconfig := b.kubeconfigOf(userBerth)
	if b.options.Berth.Kubeconfig != nil {
		if kubeconfig, err = b.options.Berth.Kubeconfig(b); err != nil {
			return err
		}
	}
	berth.own = map[string]any{
		"apiVersion": "config.berth.dev/v1alpha1",
		"kind":       "BerthConfiguration",
		"kubernetes": map[string]any{"kubeconfig": kubeconfig},
		"extender": map[string]any{"listen": listen, "tls": map[string]any{
			"certFile": serving.CertFile, "keyFile": serving.KeyFile, "clientCAFile": b.ca.CertFile,
		}},
		"metrics": map[string]any{"listen": metrics},
		"grpc":    map[string]any{"listen": berth.GRPC},
	}
	berth.ConfigFile = filepath.Join(b.Dir, "berth.yaml")
	return berth.writeConfig(b.options.Berth.Config)
}

// DecisionsAddress is where Berth tells its decisions over gRPC; "" in a box without Berth.
func (b *Box) DecisionsAddress() string {
	if b.Berth == nil {
		return ""
	}
	return b.Berth.GRPC
}

// ReconfigureBerth starts Berth again with other keys than those of BerthOptions.Config.
func (b *Box) ReconfigureBerth(ctx context.Context, config map[string]any) error {
	b.Berth.Stop()
	if err := b.Berth.writeConfig(config); err != nil {
		return err
	}
	return b.Berth.Start(ctx)
}

func (berth *Berth) writeConfig(more map[string]any) error {
	content, err := yaml.Marshal(merged(berth.own, more))
	if err != nil {
		return fmt.Errorf("berth's configuration: %w", err)
	}
	return os.WriteFile(berth.ConfigFile, content, 0o600)
}

// merged has the keys of both; of a key that both have maps are merged, else more's value counts.
func merged(own, more map[string]any) map[string]any {
	result := maps.Clone(own)
	for key, value := range more {
		ours, isMap := own[key].(map[string]any)
		theirs, areMaps := value.(map[string]any)
		if isMap && areMaps {
			value = merged(ours, theirs)
		}
		result[key] = value
	}
	return result
}

// extender is Berth's entry in kube-scheduler's configuration: verified TLS both ways, names only,
// and pods stay pending rather than being placed unchecked while Berth is away.
func (berth *Berth) extender() schedulerconfig.Extender {
	entry := schedulerconfig.Extender{
		URLPrefix: berth.URL, FilterVerb: "filter", PrioritizeVerb: "prioritize",
		PreemptVerb: "preempt",
		Weight:      extenderWeight, EnableHTTPS: true, NodeCacheCapable: true, Ignorable: false,
		HTTPTimeout: metav1.Duration{Duration: extenderTimeout},
		TLSConfig: &schedulerconfig.ExtenderTLSConfig{
			CAFile: berth.caFile, CertFile: berth.client.CertFile, KeyFile: berth.client.KeyFile,
		},
	}
	for _, name := range ManagedResources {
		entry.ManagedResources = append(entry.ManagedResources,
			schedulerconfig.ExtenderManagedResource{Name: name})
	}
	return entry
}
