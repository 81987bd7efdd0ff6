package placing

import (
	"reflect"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	schedulerconfig "k8s.io/kube-scheduler/config/v1"

	"berth.dev/berth/tests/bench/echo"
)

// aChart has what ours has, and a setting that no default is.
func aChart() Shipped {
	return Shipped{
		scheduler: `
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
leaderElection: {leaderElect: true}
podMaxBackoffSeconds: 77
profiles: [{schedulerName: berth}]
extenders:
- {urlPrefix: "https://berth-extender", filterVerb: filter, prioritizeVerb: prioritize, preemptVerb: preempt, weight: 7}
`,
		berth: `
admission: {listen: ":9443"}
controller: {lease: {name: berth-controller}, owner: berth, certificates: {webhooks: [berth]}}
extender: {listen: ":8443", tls: {certFile: a}, shortlist: {size: 3, defaultSpreading: false}}
metrics: {listen: ":9090"}
`}
}

func TestWaysAreReadFromTheirNames(t *testing.T) {
	none := map[string]any{}
	cases := []struct {
		text string
		want []Way
	}{
		{"alone, alone-every-node", []Way{{Name: "alone", config: none},
			{Name: "alone-every-node", sample: 100, config: none}}},
		{"berth,berth-every-node,berth-no-controller", []Way{
			{Name: "berth", extender: asksBerth, controller: true, config: none},
			{Name: "berth-every-node", extender: asksBerth, controller: true, sample: 100, config: none},
			{Name: "berth-no-controller", extender: asksBerth, config: none}}},
		{"alone+sample=2", []Way{{Name: "alone+sample=2", sample: 2, config: none}}},
		{"echo+filter-only", []Way{{Name: "echo+filter-only", extender: asksEcho, config: none,
			filterOnly: true}}},
		{"berth+extender.shortlist.size=8+log.level=debug+extender.x=true+filter-only", []Way{{
			Name:     "berth+extender.shortlist.size=8+log.level=debug+extender.x=true+filter-only",
			extender: asksBerth, controller: true, filterOnly: true,
			config: map[string]any{
				"extender": map[string]any{"shortlist": map[string]any{"size": 8.0}, "x": true},
				"log":      map[string]any{"level": "debug"},
			}}}},
	}
	for _, c := range cases {
		if got, err := ParseWays(c.text); err != nil || !reflect.DeepEqual(got, c.want) {
			t.Errorf("%q is %+v (%v), want %+v", c.text, got, err, c.want)
		}
	}
}

func TestWaysThatMeanNothing(t *testing.T) {
	for text, advice := range map[string]string{
		"":                  "write some of alone, alone-every-node, berth, ",
		"alone,bert":        "or such as berth+",
		"berth+fast":        "write +KEY=VALUE behind berth",
		"echo+log.level=no": "write +KEY=VALUE behind berth",
		"alone+filter-only": "+filter-only behind berth or echo",
	} {
		if _, err := ParseWays(text); err == nil || !strings.Contains(err.Error(), advice) {
			t.Errorf("%q: error %v does not say %q", text, err, advice)
		}
	}
}

// configured is what a way makes of the box's configuration.
func configured(t *testing.T, name string) schedulerconfig.KubeSchedulerConfiguration {
	t.Helper()
	server := echo.Start()
	defer server.Close()
	w, err := parseWay(name)
	if err != nil {
		t.Fatal(err)
	}
	config := schedulerconfig.KubeSchedulerConfiguration{
		TypeMeta: metav1.TypeMeta{Kind: "KubeSchedulerConfiguration"},
		Extenders: []schedulerconfig.Extender{{URLPrefix: "https://127.0.0.1:1", Weight: 31,
			TLSConfig: &schedulerconfig.ExtenderTLSConfig{CAFile: "ca"}}}}
	config.ClientConnection.Kubeconfig = "ours"
	config.LeaderElection.LeaderElect = new(bool)
	if err := w.configure(&config, aChart(), server); err != nil {
		t.Fatal(err)
	}
	client := config.ClientConnection
	if client.Kubeconfig != "ours" || client.QPS != 1000 || client.Burst != 2000 ||
		*config.LeaderElection.LeaderElect {
		t.Errorf("%s: client %+v, leader election %+v", name, client, config.LeaderElection)
	}
	return config
}

func TestKubeSchedulerAloneHasItsDefaults(t *testing.T) {
	config := configured(t, "alone")
	if config.Extenders != nil || config.PercentageOfNodesToScore != nil ||
		config.PodMaxBackoffSeconds != nil || config.Profiles != nil {
		t.Errorf("%+v", config)
	}
	if every := configured(t, "alone-every-node"); *every.PercentageOfNodesToScore != 100 {
		t.Errorf("%+v", every)
	}
}

func TestBerthIsConfiguredAsTheChartRenders(t *testing.T) {
	config := configured(t, "berth")
	entry := config.Extenders[0]
	if *config.PodMaxBackoffSeconds != 77 || *config.Profiles[0].SchedulerName != "berth" ||
		config.PercentageOfNodesToScore != nil || entry.Weight != 7 || entry.PreemptVerb != "preempt" ||
		entry.URLPrefix != "https://127.0.0.1:1" || entry.TLSConfig.CAFile != "ca" {
		t.Errorf("%+v", config)
	}
	if every := configured(t, "berth-every-node"); *every.PercentageOfNodesToScore != 100 {
		t.Errorf("%+v", every)
	}
	if only := configured(t, "berth+filter-only").Extenders[0]; only.PrioritizeVerb != "" {
		t.Errorf("%+v", only)
	}
	other := configured(t, "echo").Extenders[0]
	if other.PreemptVerb != "" || other.URLPrefix == entry.URLPrefix || other.TLSConfig.CAData == nil {
		t.Errorf("%+v", other)
	}
}

func TestPodsNameTheSchedulerOfTheirWay(t *testing.T) {
	for way, want := range map[string]string{"alone": "default-scheduler", "berth": "berth",
		"echo": "berth"} {
		w, err := parseWay(way)
		if err != nil {
			t.Fatal(err)
		}
		if name, err := w.SchedulerName(aChart()); err != nil || name != want {
			t.Errorf("%s: %s (%v), want %s", way, name, err, want)
		}
	}
}

// What the chart's own addresses and objects are does not matter here; what else it says does.
func TestOwnKeysOfBerthGoOverTheChart(t *testing.T) {
	w, err := parseWay("berth+extender.shortlist.size=8")
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]any{
		"controller": map[string]any{"lease": map[string]any{"name": "berth-controller",
			"namespace": "default"}},
		"extender": map[string]any{"shortlist": map[string]any{"size": 8.0, "defaultSpreading": false}},
		"log":      map[string]any{"level": "info"},
	}
	if config, err := w.berthConfig(aChart()); err != nil || !reflect.DeepEqual(config, want) {
		t.Errorf("%+v (%v), want %+v", config, err, want)
	}
}

func TestConfigFilesAreFoundAmongOtherObjects(t *testing.T) {
	files, err := configFiles([]byte(`
kind: Service
metadata: {name: berth}
---
# nothing
---
kind: ConfigMap
metadata: {name: berth}
data: {config.yaml: "a: 1"}
---
kind: ConfigMap
metadata: {name: berth-scheduler}
data: {config.yaml: "b: 2"}
`))
	if err != nil || files["berth"] != "a: 1" || files["berth-scheduler"] != "b: 2" {
		t.Errorf("%v (%v)", files, err)
	}
	if _, err := (Shipped{}).Berth(); err == nil {
		t.Error("a chart without a configuration of Berth is taken")
	}
}

// Whatever the chart of this repository says, ways find in it what they need.
func TestChartIsRead(t *testing.T) {
	s, err := Ship(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	w, err := parseWay("berth")
	if err != nil {
		t.Fatal(err)
	}
	if name, err := w.SchedulerName(s); err != nil || name != "berth" {
		t.Errorf("scheduler %q (%v)", name, err)
	}
	config, err := w.berthConfig(s)
	if err != nil || config["kind"] != "BerthConfiguration" || config["probes"] != nil {
		t.Errorf("%+v (%v)", config, err)
	}
}
