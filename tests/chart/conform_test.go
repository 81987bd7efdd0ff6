package chart

import (
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"berth.dev/berth/tests/e2e/box"
)

var versions = flag.String("kubernetes", "1.36.3",
	"versions of Kubernetes, such as 1.34.9,1.37.1, whose own descriptions are tried beside that of "+
		"the running kube-apiserver")

// A running kube-apiserver says what it takes, and Helm asks it for its version.
func TestOnARunningAPIServer(t *testing.T) {
	b := box.ForTest(t, box.Options{})
	t.Run("objects conform", func(t *testing.T) {
		description, err := b.Client.Discovery().RESTClient().Get().AbsPath("/openapi/v2").
			SetHeader("Accept", "application/json").DoRaw(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		conform(t, description)
	})
	t.Run("a repair starts its pod", func(t *testing.T) { testRepair(t, b) })
	t.Run("notes say what to do next", func(t *testing.T) { testNotes(t, b.Kubeconfig) })
}

// Other versions describe themselves in a file that is made by their kube-apiserver.
func TestObjectsConformToOtherVersions(t *testing.T) {
	for version := range strings.SplitSeq(*versions, ",") {
		t.Run(version, func(t *testing.T) {
			file := filepath.Join(source(t, version), "api", "openapi-spec", "swagger.json")
			description, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			conform(t, description)
		})
	}
}

// source is the folder with a version of Kubernetes.
func source(t *testing.T, version string) string {
	t.Helper()
	path, err := exec.LookPath("go")
	if err != nil {
		t.Fatal(err)
	}
	folder, err := run(t, "", path, "mod", "download", "-json", "k8s.io/kubernetes@v"+version)
	if err != nil {
		t.Fatal(err)
	}
	_, folder, _ = strings.Cut(folder, `"Dir": "`)
	folder, _, _ = strings.Cut(folder, `"`)
	return folder
}

// conform holds all configurations to the schemas of a description. Kinds that Kubernetes does not
// bring are read by their own types when they are rendered.
func conform(t *testing.T, description []byte) {
	t.Helper()
	schemas, manifests := t.TempDir(), t.TempDir()
	writeSchemas(t, description, schemas)
	check := func() (string, error) {
		return run(t, "", program(t, "kubeconform"), "-strict", "-summary",
			"-schema-location", filepath.Join(schemas, "{{.ResourceKind}}-{{.Group}}-{{.ResourceAPIVersion}}.json"),
			"-skip", "ServiceMonitor,PrometheusRule,Certificate,NodeOperationTemplate,NodeRemediationTemplate,NodeDisruptionBudget", manifests)
	}
	for _, c := range configurations {
		writeManifest(t, manifests, c.name, c.render(t).text)
	}
	if text, err := check(); err != nil {
		t.Errorf("%v\n%s", err, text)
	}
	writeManifest(t, manifests, "broken", strings.Replace(render(t, "").text, "replicas:", "replicass:", 1))
	if text, err := check(); err == nil || !strings.Contains(text, "'replicass' not allowed") ||
		!strings.Contains(text, "Invalid: 1,") {
		t.Errorf("a typing error is not found: %v\n%s", err, text)
	}
}

func writeManifest(t *testing.T, folder, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(folder, name+".yaml"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}
