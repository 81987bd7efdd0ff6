package chart

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
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
		{`config: {scheduling: {policies: {packing: {weight: 3}}}}`, false},
		{`config: {accelerators: [{name: V100, resource: nvidia.com/gpu}]}`, false},
		{`config: {admission: {policies: {isolation: {mode: Warn}}}}`, false},
		{`config: {admission: {ordinaryResources: [example.com/fuse]}}`, false},
		{`config: {admission: {fractionAnnotations: [example.com/memory]}}`, false},
		{`config: {admission: {ownRetries: [vision]}}`, false},
		{`config: {extender: {shortlist: {size: 8}}}`, false},
		{`config: {planner: {backlog: {enabled: true}}}`, false},
		{`config: {controller: {taints: true}}`, false},
		{`config: {extender: {maxBodyBytes: 2097152}}`, true},
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

// leaves are the values that have a row of their own, with their defaults as YAML in one line.
func leaves(t *testing.T, path string, value any, found map[string]string) {
	t.Helper()
	if members, is := value.(map[string]any); is && len(members) > 0 && path != "metrics.dashboard.labels" {
		for key, member := range members {
			leaves(t, strings.TrimPrefix(path+"."+key, "."), member, found)
		}
		return
	}
	text, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	found[path] = string(text)
}

func TestReadmeHasEveryValueWithItsDefault(t *testing.T) {
	var defaults map[string]any
	if err := yaml.Unmarshal([]byte(readChart(t, "values.yaml")), &defaults); err != nil {
		t.Fatal(err)
	}
	want := map[string]string{}
	leaves(t, "", defaults, want)
	row := regexp.MustCompile("(?m)^\\| `([^`]+)` \\| `([^`]+)` \\|")
	for _, cells := range row.FindAllStringSubmatch(readChart(t, "README.md"), -1) {
		value, text := cells[1], cells[2]
		if got, is := want[value]; !is {
			t.Errorf("README.md has %s, which is no value", value)
		} else if !equalYAML(t, got, text) {
			t.Errorf("README.md says %s is %s by default, values.yaml %s", value, text, got)
		}
		delete(want, value)
	}
	for value := range want {
		t.Errorf("README.md has no %s", value)
	}
}

func equalYAML(t *testing.T, a, b string) bool {
	t.Helper()
	var first, second any
	if err := errors.Join(yaml.Unmarshal([]byte(a), &first), yaml.Unmarshal([]byte(b), &second)); err != nil {
		t.Fatal(err)
	}
	return reflect.DeepEqual(first, second)
}
