//go:build frameworks

package frameworks

import (
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"time"

	"berth.dev/berth/tests/e2e/box"
)

// ownAuthority makes the content of a Secret as operators make it that keep an authority of their
// own, for a server on loopback. They keep what is valid for a while, and make RSA keys alone.
func ownAuthority(w box.Test, authority, service string) map[string][]byte {
	w.Helper()
	caKey, caKeyPEM := rsaKey(w)
	ca := longCertificate(authority)
	ca.IsCA, ca.BasicConstraintsValid, ca.KeyUsage = true, true, x509.KeyUsageCertSign
	caPEM := sign(w, ca, ca, caKey, caKey)
	key, keyPEM := rsaKey(w)
	server := longCertificate(service)
	server.IPAddresses = []net.IP{net.IPv4(127, 0, 0, 1)}
	server.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}
	return map[string][]byte{"ca.crt": caPEM, "ca.key": caKeyPEM,
		"tls.crt": sign(w, server, ca, key, caKey), "tls.key": keyPEM}
}

func longCertificate(name string) *x509.Certificate {
	serial, _ := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 120)) // never fails
	return &x509.Certificate{
		SerialNumber: serial, Subject: pkix.Name{CommonName: name}, DNSNames: []string{name},
		NotBefore: time.Now().Add(-time.Minute), NotAfter: time.Now().AddDate(1, 0, 0),
	}
}

func rsaKey(w box.Test) (*rsa.PrivateKey, []byte) {
	w.Helper()
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	w.Check("make a key", err)
	return key, pem.EncodeToMemory(&pem.Block{Type: "RSA PRIVATE KEY",
		Bytes: x509.MarshalPKCS1PrivateKey(key)})
}

func sign(w box.Test, certificate, parent *x509.Certificate, key, parentKey *rsa.PrivateKey) []byte {
	w.Helper()
	der, err := x509.CreateCertificate(rand.Reader, certificate, parent, &key.PublicKey, parentKey)
	w.Check("sign a certificate", err)
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
}
