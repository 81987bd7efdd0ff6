package chart

import (
	"crypto/x509"
	"encoding/pem"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	schedulerconfig "k8s.io/kube-scheduler/config/v1"
	"sigs.k8s.io/yaml"
)

// nowhere is a kubeconfig for who never calls.
const nowhere = `
apiVersion: v1
kind: Config
clusters: [{name: nowhere, cluster: {server: "https://127.0.0.1:1"}}]
contexts: [{name: nowhere, context: {cluster: nowhere, user: nobody}}]
users: [{name: nobody, user: {}}]
current-context: nowhere`

// kube-scheduler reads its configuration strictly, and the certificates with it. Asked to write down what
// it takes it to say, it does so and ends.
func TestKubeSchedulerTakesItsConfiguration(t *testing.T) {
	for values, spread := range map[string]schedulerconfig.PodTopologySpreadConstraintsDefaulting{
		"": schedulerconfig.ListDefaulting,
		`{scheduler: {defaultSpreading: true, podMaxBackoffSeconds: 7}}`: schedulerconfig.SystemDefaulting,
	} {
		r := render(t, values)
		folder := t.TempDir()
		writePair(t, folder)
		writeText(t, folder, "kubeconfig", []byte(nowhere))
		text := named[*corev1.ConfigMap](r, "berth-scheduler").Data["config.yaml"]
		text = strings.NewReplacer("/etc/berth/ca", folder, "/etc/berth/tls", folder).Replace(text)
		text = strings.Replace(text, "clientConnection: {",
			"clientConnection: {kubeconfig: "+filepath.Join(folder, "kubeconfig")+", ", 1)
		file := writeText(t, folder, "config.yaml", []byte(text))
		written := filepath.Join(folder, "written.yaml")
		if said, err := run(t, "", program(t, "kube-scheduler"), "--config", file,
			"--write-config-to", written, "--secure-port=0"); err != nil {
			t.Fatalf("%q: %v\n%s", values, err, said)
		}
		taken, err := os.ReadFile(written)
		if err != nil {
			t.Fatal(err)
		}
		expectTaken(t, r, taken, spread)
	}
}

func expectTaken(t *testing.T, r *release, text []byte,
	spread schedulerconfig.PodTopologySpreadConstraintsDefaulting,
) {
	t.Helper()
	var taken schedulerconfig.KubeSchedulerConfiguration
	if err := yaml.Unmarshal(text, &taken); err != nil {
		t.Fatal(err)
	}
	want := schedulerConfiguration(r)
	if *taken.PodMaxBackoffSeconds != *want.PodMaxBackoffSeconds || len(taken.Extenders) != 1 ||
		taken.ClientConnection.QPS != want.ClientConnection.QPS {
		t.Errorf("it takes it to be\n%s", text)
	}
	preemption := argumentsIn[schedulerconfig.DefaultPreemptionArgs](t, taken, "DefaultPreemption")
	if *preemption.MinCandidateNodesPercentage != 100 {
		t.Errorf("preemption is %+v", preemption)
	}
	spreading := argumentsIn[schedulerconfig.PodTopologySpreadArgs](t, taken, "PodTopologySpread")
	if spreading.DefaultingType != spread || len(spreading.DefaultConstraints) != 0 {
		t.Errorf("pods are spread by %+v", spreading)
	}
}

func writeText(t *testing.T, folder, name string, content []byte) string {
	t.Helper()
	path := filepath.Join(folder, name)
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// writePair writes a certificate as authority and as certificate, and its key.
func writePair(t *testing.T, folder string) {
	t.Helper()
	server := httptest.NewTLSServer(nil)
	defer server.Close()
	pair := server.TLS.Certificates[0]
	key, err := x509.MarshalPKCS8PrivateKey(pair.PrivateKey)
	if err != nil {
		t.Fatal(err)
	}
	certificate := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: pair.Certificate[0]})
	writeText(t, folder, "ca.crt", certificate)
	writeText(t, folder, "tls.crt", certificate)
	writeText(t, folder, "tls.key", pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: key}))
}
