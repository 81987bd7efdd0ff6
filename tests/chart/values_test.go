package chart

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/yaml"

	"berth.dev/berth/tests/chart/values"
)

func readChart(t testing.TB, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(chartFolder(t), name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestSchemaIsMadeOfTheProgramsOwn(t *testing.T) {
	want, err := values.Schema()
	if err != nil {
		t.Fatal(err)
	}
	if readChart(t, "values.schema.json") != string(want) {
		t.Error("charts/berth/values.schema.json is out of date; write it with\n" +
			"  cd tests/chart && go run ./schema > ../../charts/berth/values.schema.json")
	}
}

func TestChartHasTheProgramsVersion(t *testing.T) {
	var chart struct{ Version, AppVersion string }
	if err := yaml.Unmarshal([]byte(readChart(t, "Chart.yaml")), &chart); err != nil {
		t.Fatal(err)
	}
	if version := strings.Fields(berth(t, "", "version"))[1]; chart.AppVersion != version ||
		chart.Version != version {
		t.Errorf("Chart.yaml has %+v, the program is %s", chart, version)
	}
}

// The program that reads it judges what the chart writes.
func TestConfigurationIsValid(t *testing.T) {
	forEach(t, func(t *testing.T, r *release) {
		berth(t, configuration(r), "config", "validate", "-")
	})
}

// configuration is Berth's own, as it is mounted.
func configuration(r *release) string {
	r.Helper()
	for _, config := range all[*corev1.ConfigMap](r) {
		if strings.Contains(config.Data["config.yaml"], "kind: BerthConfiguration") {
			return config.Data["config.yaml"]
		}
	}
	r.Fatal("the release has no BerthConfiguration")
	return ""
}

func TestValuesAreLaidOverTheChartsConfiguration(t *testing.T) {
	r := render(t, `
config:
  log: {level: debug}
  admission: {policies: {isolation: {mode: Off}, schedulerName: {mode: Warn}}}`)
	var config struct {
		Log       struct{ Level string }
		Admission struct {
			Listen   string
			Policies map[string]map[string]string
		}
	}
	if err := yaml.Unmarshal([]byte(configuration(r)), &config); err != nil {
		t.Fatal(err)
	}
	policies := config.Admission.Policies
	if config.Log.Level != "debug" || config.Admission.Listen != ":9443" ||
		policies["isolation"]["mode"] != "Off" || policies["schedulerName"]["mode"] != "Warn" ||
		policies["schedulerName"]["name"] != "berth" {
		t.Errorf("the configuration is\n%s", configuration(r))
	}
}

// Berth takes most of its configuration over while it runs; pods are replaced for the rest alone.
func TestPodsAreReplacedForWhatNeedsAStart(t *testing.T) {
	hash := func(values string) string {
		pods := podsOf(render(t, values))
		return pods["berth-admission"].Annotations["checksum/config"]
	}
	before := hash("")
	for _, c := range []struct {
		values   string
		replaced bool
	}{
		{`config: {log: {level: debug}}`, false},
		{`config: {prefix: ml.example.com}`, false},
		{`config: {health: {staleAfter: 5m}}`, false},
		{`config: {admission: {policies: {isolation: {mode: Warn}}}}`, false},
		{`config: {admission: {maxBodyBytes: 8388608}}`, true},
		{`config: {grpc: {listen: "127.0.0.1:8444"}}`, true},
	} {
		if (hash(c.values) != before) != c.replaced {
			t.Errorf("%s: pods are replaced: %v", c.values, !c.replaced)
		}
	}
}

func TestSchedulersPodsAreReplacedForItsConfiguration(t *testing.T) {
	hash := func(values string) string {
		return podsOf(render(t, values))["berth-scheduler"].Annotations["checksum/scheduler"]
	}
	if hash(`config: {accelerators: [{name: TPU, resource: google.com/tpu}]}`) == hash("") {
		t.Error("kube-scheduler would go on with the former managedResources")
	}
}
