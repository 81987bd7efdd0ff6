package box

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"maps"
	"net/http"
	"os"
	"path/filepath"

	"sigs.k8s.io/yaml"
)

// Admission is a `berth admission` of a box. Killed and started again it has the same ports.
// kube-apiserver asks it once it is registered: see RegisterAdmission.
type Admission struct {
	*Process
	URL        string // of the webhook: https, its certificate signed by the box's authority
	MetricsURL string // plain: /metrics, /healthz, /readyz

	box     *Box
	serving keyPair
}

// NewAdmission makes an admission server that Start starts; the box stops it at the latest. config
// holds fields of the block `admission` beside those that the box writes (listen, tls).
func (b *Box) NewAdmission(name string, config map[string]any) (*Admission, error) {
	path, err := BerthBinary()
	if err != nil {
		return nil, err
	}
	port, serving, err := b.newServer(name)
	if err != nil {
		return nil, err
	}
	metricsPort, err := freePort()
	if err != nil {
		return nil, err
	}
	a := &Admission{
		URL: "https://" + address(port), MetricsURL: "http://" + address(metricsPort),
		box: b, serving: serving,
	}
	file, err := a.writeConfig(name, address(port), address(metricsPort), config)
	if err != nil {
		return nil, err
	}
	a.Process = &Process{
		Name: name, LogFile: b.logFile(name), path: path,
		args:  []string{"admission", "--config", file},
		ready: b.httpReady(a.MetricsURL + "/readyz"),
	}
	b.add(a.Process)
	return a, nil
}

// RenewCertificate replaces certificate and key of the server by new ones, as a rotation does, and
// returns the serial number of the new certificate.
func (a *Admission) RenewCertificate() (string, error) {
	serving, err := a.box.ca.Server(a.Name) // the same files
	if err != nil {
		return "", err
	}
	pair, err := tls.LoadX509KeyPair(serving.CertFile, serving.KeyFile)
	if err != nil {
		return "", err
	}
	return serialOf(pair.Leaf), nil
}

// ServedSerial is the serial number of the certificate that the server shows to new connections.
func (a *Admission) ServedSerial(ctx context.Context) (string, error) {
	dialer := tls.Dialer{Config: a.box.trust()}
	connection, err := dialer.DialContext(ctx, "tcp", a.URL[len("https://"):])
	if err != nil {
		return "", err
	}
	defer connection.Close()
	return serialOf(connection.(*tls.Conn).ConnectionState().PeerCertificates[0]), nil
}

// Metrics scrapes the server.
func (a *Admission) Metrics(ctx context.Context) (Samples, error) {
	return readMetrics(ctx, a.MetricsURL)
}

// HTTPClient calls the webhook as kube-apiserver does.
func (a *Admission) HTTPClient() *http.Client {
	return &http.Client{Transport: &http.Transport{TLSClientConfig: a.box.trust()}}
}

func (a *Admission) writeConfig(
	name, listen, metrics string, more map[string]any,
) (string, error) {
	admission := map[string]any{"listen": listen, "tls": map[string]any{
		"certFile": a.serving.CertFile, "keyFile": a.serving.KeyFile,
	}}
	maps.Copy(admission, more)
	content, err := yaml.Marshal(map[string]any{
		"apiVersion": "config.berth.dev/v1alpha1",
		"kind":       "BerthConfiguration",
		"admission":  admission,
		"metrics":    map[string]any{"listen": metrics},
	})
	if err != nil {
		return "", fmt.Errorf("configuration of %s: %w", name, err)
	}
	file := filepath.Join(a.box.Dir, name+".yaml")
	return file, os.WriteFile(file, content, 0o600)
}

// trust is a client's configuration: it takes what the box's authority has signed, and nothing else.
func (b *Box) trust() *tls.Config {
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(b.ca.CertPEM)
	return &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: roots}
}

func serialOf(certificate *x509.Certificate) string { return certificate.SerialNumber.String() }
