package box

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"time"
)

const certificateLife = 24 * time.Hour

// authority is a certificate authority that lives as long as its box.
type authority struct {
	dir         string
	key         *ecdsa.PrivateKey
	certificate *x509.Certificate
	CertFile    string // PEM
	CertPEM     []byte
}

// keyPair names the PEM files of a certificate and its key.
type keyPair struct{ CertFile, KeyFile string }

func newAuthority(dir string) (*authority, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	template := certificateTemplate("berth-e2e-ca", nil)
	template.IsCA, template.BasicConstraintsValid = true, true
	template.KeyUsage = x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		return nil, err
	}
	certificate, err := x509.ParseCertificate(der)
	if err != nil {
		return nil, err
	}
	ca := &authority{dir: dir, key: key, certificate: certificate}
	ca.CertFile = filepath.Join(dir, "ca.crt")
	ca.CertPEM = pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
	return ca, os.WriteFile(ca.CertFile, ca.CertPEM, 0o600)
}

// Server issues a certificate for 127.0.0.1 and the given names or addresses.
func (ca *authority) Server(name string, hosts ...string) (keyPair, error) {
	template := certificateTemplate(name, nil)
	template.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}
	template.IPAddresses = []net.IP{net.IPv4(127, 0, 0, 1)}
	template.DNSNames = []string{"localhost"}
	for _, host := range hosts {
		if ip := net.ParseIP(host); ip != nil {
			template.IPAddresses = append(template.IPAddresses, ip)
		} else {
			template.DNSNames = append(template.DNSNames, host)
		}
	}
	return ca.issue(name+"-server", template)
}

// Pair is what a server or client needs, in PEM.
type Pair struct{ Certificate, Key, Authority []byte }

// IssueServing issues a certificate of the box's authority for 127.0.0.1 and the given names.
func (b *Box) IssueServing(name string, dnsNames ...string) (Pair, error) {
	files, err := b.ca.Server(name, dnsNames...)
	if err != nil {
		return Pair{}, err
	}
	return b.read(files)
}

// IssueClient issues a certificate of the box's authority by which servers know a client.
func (b *Box) IssueClient(name string) (Pair, error) {
	files, err := b.ca.Client(name)
	if err != nil {
		return Pair{}, err
	}
	return b.read(files)
}

func (b *Box) read(files keyPair) (Pair, error) {
	certificate, certificateErr := os.ReadFile(files.CertFile)
	key, keyErr := os.ReadFile(files.KeyFile)
	return Pair{certificate, key, b.ca.CertPEM}, errors.Join(certificateErr, keyErr)
}

// Client issues a certificate that kube-apiserver takes for the user and groups.
func (ca *authority) Client(user string, groups ...string) (keyPair, error) {
	template := certificateTemplate(user, groups)
	template.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}
	return ca.issue(fileName(user)+"-client", template)
}

func (ca *authority) issue(file string, template *x509.Certificate) (keyPair, error) {
	pair := keyPair{
		CertFile: filepath.Join(ca.dir, file+".crt"),
		KeyFile:  filepath.Join(ca.dir, file+".key"),
	}
	key, err := writeKey(pair.KeyFile)
	if err != nil {
		return keyPair{}, err
	}
	der, err := x509.CreateCertificate(rand.Reader, template, ca.certificate, &key.PublicKey, ca.key)
	if err != nil {
		return keyPair{}, err
	}
	block := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
	return pair, os.WriteFile(pair.CertFile, block, 0o600)
}

func certificateTemplate(name string, groups []string) *x509.Certificate {
	serial, _ := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 120)) // never fails
	return &x509.Certificate{
		SerialNumber: serial,
		Subject:      pkix.Name{CommonName: name, Organization: groups},
		NotBefore:    time.Now().Add(-time.Minute),
		NotAfter:     time.Now().Add(certificateLife),
		KeyUsage:     x509.KeyUsageDigitalSignature,
	}
}

// writeKey makes a P-256 key and writes it as SEC 1 PEM, the form in which kube-apiserver reads the
// key of service accounts.
func writeKey(path string) (*ecdsa.PrivateKey, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	der, err := x509.MarshalECPrivateKey(key)
	if err != nil {
		return nil, err
	}
	block := pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: der})
	return key, os.WriteFile(path, block, 0o600)
}
