package manifests

import (
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"math/big"
	"net"
	"time"
)

// OwnAuthority makes the content of a Secret as controllers make it that keep an authority of their
// own, for a server on loopback. They keep what is valid for a while, and make RSA keys alone.
// `authority` and `service` are the DNS names in the certificates.
func OwnAuthority(authority, service string) (map[string][]byte, error) {
	caKey, caErr := rsa.GenerateKey(rand.Reader, 2048)
	key, keyErr := rsa.GenerateKey(rand.Reader, 2048)
	if err := errors.Join(caErr, keyErr); err != nil {
		return nil, err
	}
	ca := longCertificate(authority)
	ca.IsCA, ca.BasicConstraintsValid, ca.KeyUsage = true, true, x509.KeyUsageCertSign
	server := longCertificate(service)
	server.IPAddresses = []net.IP{net.IPv4(127, 0, 0, 1)}
	server.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}
	caPEM, caErr := sign(ca, ca, caKey, caKey)
	serverPEM, serverErr := sign(server, ca, key, caKey)
	return map[string][]byte{"ca.crt": caPEM, "ca.key": keyPEM(caKey),
		"tls.crt": serverPEM, "tls.key": keyPEM(key)}, errors.Join(caErr, serverErr)
}

func longCertificate(name string) *x509.Certificate {
	serial, _ := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 120)) // never fails
	return &x509.Certificate{
		SerialNumber: serial, Subject: pkix.Name{CommonName: name}, DNSNames: []string{name},
		NotBefore: time.Now().Add(-time.Minute), NotAfter: time.Now().AddDate(1, 0, 0),
	}
}

func keyPEM(key *rsa.PrivateKey) []byte {
	return pem.EncodeToMemory(&pem.Block{Type: "RSA PRIVATE KEY",
		Bytes: x509.MarshalPKCS1PrivateKey(key)})
}

func sign(certificate, parent *x509.Certificate, key, parentKey *rsa.PrivateKey) ([]byte, error) {
	der, err := x509.CreateCertificate(rand.Reader, certificate, parent, &key.PublicKey, parentKey)
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), err
}
