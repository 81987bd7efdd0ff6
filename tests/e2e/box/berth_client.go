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
func (berth *Berth) ClientTLS() (*tls.Config, error) {
	authority, err := os.ReadFile(berth.caFile)
	if err != nil {
		return nil, err
	}
	roots := x509.NewCertPool()
	if !roots.AppendCertsFromPEM(authority) {
		return nil, errors.New("no certificate in " + berth.caFile)
	}
	pair, err := tls.LoadX509KeyPair(berth.client.CertFile, berth.client.KeyFile)
	if err != nil {
		return nil, err
	}
	return &tls.Config{
		MinVersion: tls.VersionTLS12, RootCAs: roots, Certificates: []tls.Certificate{pair},
	}, nil
}
