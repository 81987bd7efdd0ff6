package monitoring

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"sigs.k8s.io/yaml"

	"berth.dev/berth/tests/e2e/box"
)

const namespace = "berth-system"

func rendered(t *testing.T) Objects {
	t.Helper()
	objects, err := Render(t.Context(), namespace)
	if err != nil {
		t.Fatal(err)
	}
	return objects
}

func write(t *testing.T, path string, content any) string {
	t.Helper()
	text, err := yaml.Marshal(content)
	if err == nil {
		err = os.WriteFile(path, text, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// Prometheus itself says that what is translated is one of its configurations.
func TestTranslationIsAConfiguration(t *testing.T) {
	objects, folder := rendered(t), t.TempDir()
	if err := objects.Rules.Spec.After("BerthNodesExcluded", 2*time.Second); err != nil {
		t.Fatal(err)
	}
	rules := write(t, filepath.Join(folder, "rules.yaml"), objects.Rules.Spec)
	translated := objects.Monitor.Prometheus(Access{}, rules, "127.0.0.1:9093")
	for _, job := range translated["scrape_configs"].([]any) {
		delete(job.(map[string]any), "kubernetes_sd_configs") // which Debian's promtool does not know
	}
	config := write(t, filepath.Join(folder, "prometheus.yaml"), translated)
	promtool, err := box.Program("promtool")
	if err != nil {
		t.Fatal(err)
	}
	said, err := exec.CommandContext(t.Context(), promtool, "check", "config", config).CombinedOutput()
	if err != nil || !strings.Contains(string(said), " rules found") {
		t.Errorf("%v\n%s", err, said)
	}
}

// What the chart selects by stands in what Prometheus keeps.
func TestServiceMonitorIsTranslated(t *testing.T) {
	monitor := rendered(t).Monitor
	text, err := yaml.Marshal(monitor.Prometheus(Access{}, "", ""))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"job_name: serviceMonitor/berth-system/berth/0\n", "scrape_interval: 1s\n",
		"- berth-system\n", "__meta_kubernetes_service_label_app_kubernetes_io_component\n",
		"__meta_kubernetes_endpointslice_port_name\n",
	} {
		if !strings.Contains(string(text), want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	kept := strings.Count(string(text), "action: keep\n")
	if want := len(monitor.Spec.Selector.MatchLabels) + 1; kept != want || want < 3 {
		t.Errorf("%d rules that keep targets, want %d: each label and the port", kept, want)
	}
}

// A field that is not translated would make the test one of something else.
func TestUntranslatedFieldsAreRefused(t *testing.T) {
	var monitor ServiceMonitor
	err := yaml.UnmarshalStrict([]byte("spec: {endpoints: [{port: metrics, scheme: https}]}"), &monitor)
	if err == nil || !strings.Contains(err.Error(), "scheme") {
		t.Errorf("error %v, want one about scheme", err)
	}
}

func TestOneAlertWaitsLess(t *testing.T) {
	objects := rendered(t)
	if err := objects.Rules.Spec.After("BerthNodesExcluded", 2*time.Second); err != nil {
		t.Fatal(err)
	}
	want := rendered(t).Rules.Spec
	for i, group := range objects.Rules.Spec.Groups {
		for j, rule := range group.Rules {
			wait := want.Groups[i].Rules[j].For
			if rule.Alert == "BerthNodesExcluded" {
				wait = "2000ms"
			}
			if rule.For != wait {
				t.Errorf("%s waits %s, want %s", rule.Alert, rule.For, wait)
			}
		}
	}
	if err := objects.Rules.Spec.After("Nothing", time.Second); err == nil {
		t.Error("an alert that does not exist waits less")
	}
}
