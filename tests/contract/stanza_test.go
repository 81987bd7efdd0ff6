package contract

import (
	"bytes"
	"encoding/pem"
	"net/http/httptest"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/kubernetes/pkg/scheduler/apis/config"
	schedulerscheme "k8s.io/kubernetes/pkg/scheduler/apis/config/scheme"
	"k8s.io/kubernetes/pkg/scheduler/apis/config/validation"
)

// What `berth stanza` prints, read as kube-scheduler reads its configuration: strictly, with its
// defaults, and with its own validation.

const stanzaHead = "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n" +
	"clientConnection: {kubeconfig: /etc/kubernetes/scheduler.conf}\n"

func TestStanzaIsAKubeSchedulerConfiguration(t *testing.T) {
	authority := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: someCertificate()})
	for _, ignorable := range []bool{false, true} {
		stanza := printStanza(t, authority, ignorable)
		cfg := decodeScheduler(t, stanzaHead+stanza)
		if err := validation.ValidateKubeSchedulerConfiguration(cfg); err != nil {
			t.Fatalf("kube-scheduler refuses it: %v\n%s", err, stanza)
		}
		if len(cfg.Extenders) != 1 {
			t.Fatalf("%d extenders in\n%s", len(cfg.Extenders), stanza)
		}
		entry := cfg.Extenders[0]
		if entry.Ignorable != ignorable || !entry.NodeCacheCapable || !entry.EnableHTTPS ||
			entry.Weight != 31 || entry.FilterVerb == "" || entry.PrioritizeVerb == "" ||
			entry.PreemptVerb == "" || entry.BindVerb != "" || entry.HTTPTimeout.Seconds() <= 0 {
			t.Errorf("entry is %+v", entry)
		}
		if !bytes.Equal(entry.TLSConfig.CAData, authority) || entry.TLSConfig.Insecure {
			t.Errorf("trusts %s, want %s", entry.TLSConfig.CAData, authority)
		}
		var resources []string
		for _, resource := range entry.ManagedResources {
			resources = append(resources, resource.Name)
			if resource.IgnoredByScheduler {
				t.Errorf("kube-scheduler would not count %s", resource.Name)
			}
		}
		for _, want := range []string{"nvidia.com/gpu", "nvidia.com/mig-1g.5gb", "amd.com/gpu",
			"preferred.jp/mncore", "preferred.jp/mncore2"} {
			if !slices.Contains(resources, want) {
				t.Errorf("manages %q, want %s among them", resources, want)
			}
		}
		// The controller looks at all nodes, so a sample will do.
		if cfg.PercentageOfNodesToScore != nil && *cfg.PercentageOfNodesToScore != 0 {
			t.Errorf("looks at %d %% of the nodes", *cfg.PercentageOfNodesToScore)
		}
	}
}

func decodeScheduler(t *testing.T, text string) *config.KubeSchedulerConfiguration {
	t.Helper()
	object, _, err := schedulerscheme.Codecs.UniversalDecoder().Decode([]byte(text), nil, nil)
	if err != nil && !runtime.IsStrictDecodingError(err) {
		t.Fatalf("%v\n%s", err, text)
	}
	if err != nil {
		t.Fatalf("kube-scheduler does not know a field: %v\n%s", err, text)
	}
	cfg, ok := object.(*config.KubeSchedulerConfiguration)
	if !ok {
		t.Fatalf("is a %T", object)
	}
	return cfg
}

func printStanza(t *testing.T, authority []byte, ignorable bool) string {
	t.Helper()
	dir := t.TempDir()
	caFile, configFile := filepath.Join(dir, "ca.crt"), filepath.Join(dir, "berth.yaml")
	writeFile(t, caFile, string(authority))
	writeFile(t, configFile,
		"apiVersion: config.berth.dev/v1alpha1\nkind: BerthConfiguration\n")
	arguments := []string{"stanza", "--url", "https://10.96.0.7:443", "--ca-file", caFile,
		"--config", configFile}
	if ignorable {
		arguments = append(arguments, "--ignorable")
	}
	command := exec.Command(tool(t, "BERTH_BINARY", "cli/berth"), arguments...)
	var complaint bytes.Buffer
	command.Stderr = &complaint
	stanza, err := command.Output()
	if err != nil {
		t.Fatalf("berth stanza: %v: %s", err, complaint.String())
	}
	return string(stanza)
}

// someCertificate is that of the test server of net/http.
func someCertificate() []byte {
	server := httptest.NewTLSServer(nil)
	defer server.Close()
	return server.Certificate().Raw
}
