package box

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net/http"
	"os"
)

// HTTPClient calls the extender as kube-scheduler does.
func (berth *Berth) HTTPClient() (*http.Client, error) {
	config, err := berth.ClientTLS()
	if err != nil {
		return nil, err
	}
	return &http.Client{Transport: &http.Transport{TLSClientConfig: config}}, nil
}

// ClientTLS is kube-scheduler's: it verifies Berth's certificate and shows kube-scheduler's own.
func (berth *Berth) ClientTLS() (*tls.Config, error) { return berth.ClientFiles().TLS() }

// ClientFiles are the PEM files by which kube-scheduler calls the extender, for other programs.
type ClientFiles struct{ Authority, Certificate, Key string }

// ClientFiles are kube-scheduler's.
func (berth *Berth) ClientFiles() ClientFiles {
	return ClientFiles{berth.caFile, berth.client.CertFile, berth.client.KeyFile}
}

// TLS reads the files.
func (f ClientFiles) TLS() (*tls.Config, error) {
	authority, err := os.ReadFile(f.Authority)
	if err != nil {
		return nil, err
	}
	roots := x509.NewCertPool()
	if !roots.AppendCertsFromPEM(authority) {
		return nil, errors.New("no certificate in " + f.Authority)
	}
	pair, err := tls.LoadX509KeyPair(f.Certificate, f.Key)
	if err != nil {
		return nil, err
	}
	return &tls.Config{
		MinVersion: tls.VersionTLS12, RootCAs: roots, Certificates: []tls.Certificate{pair},
	}, nil
}
