package box

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"net/http"
	"path/filepath"
	"time"
)

const probeTimeout = 2 * time.Second

// httpReady makes a readiness check of a URL that answers 200 when its program serves. For https
// the box's authority must have signed the certificate.
func (b *Box) httpReady(url string) func(context.Context) error {
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(b.ca.CertPEM)
	client := &http.Client{Timeout: probeTimeout, Transport: &http.Transport{
		TLSClientConfig:   &tls.Config{RootCAs: roots},
		DisableKeepAlives: true, // a restarted program must not meet connections to its predecessor
	}}
	return func(ctx context.Context) error { return probe(ctx, client, url) }
}

func probe(ctx context.Context, client *http.Client, url string) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	response, err := client.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("%s answers %s", url, response.Status)
	}
	return nil
}

func (b *Box) logFile(name string) string { return filepath.Join(b.Dir, name+".log") }
