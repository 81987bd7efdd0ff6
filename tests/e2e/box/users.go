package box

import (
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/tools/clientcmd/api"
)

const (
	userAdmin             = "admin"
	userBerth             = "berth"
	userBerthController   = "berth-controller"
	userKwok              = "kwok"
	userScheduler         = "system:kube-scheduler"
	userControllerManager = "system:kube-controller-manager"
	groupMasters          = "system:masters"
)

// groupsOf lists every user of the box with the groups that decide what it may do; who has none
// gets its rights from RBAC.
var groupsOf = map[string][]string{
	userAdmin:             {groupMasters},
	userBerth:             nil,
	userBerthController:   nil,
	userKwok:              {groupMasters},
	userScheduler:         nil,
	userControllerManager: nil,
}

// kubeconfigOf is the path of the kubeconfig file of a user, with a client certificate.
func (b *Box) kubeconfigOf(user string) string {
	return filepath.Join(b.Dir, fileName(user)+".kubeconfig")
}

// BerthTokenKubeconfig writes a kubeconfig of Berth's user that has a bearer token instead of a
// client certificate, and returns its path.
func (b *Box) BerthTokenKubeconfig() (string, error) {
	path := filepath.Join(b.Dir, "berth-token.kubeconfig")
	return path, b.writeKubeconfig(path, b.APIAddress(), &api.AuthInfo{Token: b.berthToken})
}

// BerthKubeconfigAt writes a kubeconfig of Berth's user that finds kube-apiserver at another
// address (host:port of 127.0.0.1, a proxy's for instance), and returns its path.
func (b *Box) BerthKubeconfigAt(server string) (string, error) {
	path := filepath.Join(b.Dir, "berth-elsewhere.kubeconfig")
	pair, err := b.ca.Client(userBerth)
	if err != nil {
		return "", err
	}
	return path, b.writeKubeconfig(path, server, pair.login())
}

// APIAddress is host:port of kube-apiserver.
func (b *Box) APIAddress() string { return address(b.apiPort) }

func (pair keyPair) login() *api.AuthInfo {
	return &api.AuthInfo{ClientCertificate: pair.CertFile, ClientKey: pair.KeyFile}
}

func (b *Box) writeUsers() error {
	for user, groups := range groupsOf {
		pair, err := b.ca.Client(user, groups...)
		if err != nil {
			return fmt.Errorf("certificate of %s: %w", user, err)
		}
		if err := b.writeKubeconfig(b.kubeconfigOf(user), b.APIAddress(), pair.login()); err != nil {
			return fmt.Errorf("kubeconfig of %s: %w", user, err)
		}
	}
	b.berthToken = randomToken()
	line := fmt.Sprintf("%s,%s,berth-token\n", b.berthToken, userBerth)
	return os.WriteFile(b.tokenFile(), []byte(line), 0o600)
}

func (b *Box) tokenFile() string { return filepath.Join(b.Dir, "tokens.csv") }

func (b *Box) writeKubeconfig(path, server string, login *api.AuthInfo) error {
	config := api.NewConfig()
	config.Clusters["box"] = &api.Cluster{
		Server:                   "https://" + server,
		CertificateAuthorityData: b.ca.CertPEM,
	}
	config.AuthInfos["user"] = login
	config.Contexts["box"] = &api.Context{Cluster: "box", AuthInfo: "user"}
	config.CurrentContext = "box"
	return clientcmd.WriteToFile(*config, path)
}

func randomToken() string {
	var bytes [16]byte
	_, _ = rand.Read(bytes[:]) // never fails
	return hex.EncodeToString(bytes[:])
}

func fileName(user string) string { return strings.ReplaceAll(user, ":", "-") }
