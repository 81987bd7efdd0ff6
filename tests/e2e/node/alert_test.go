//go:build cluster

package node

import (
	"context"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"sigs.k8s.io/yaml"

	"berth.dev/berth/tests/e2e/box"
	"berth.dev/berth/tests/e2e/fleet"
	"berth.dev/berth/tests/e2e/monitoring"
)

var updateGolden = flag.Bool("update", false, "write the golden notifications anew")

const (
	alertOfNodes = "BerthNodesExcluded"
	// It waits for ten minutes; TestIssues in the folder above has it fire.
	alertOfEachNode = "BerthNodeNeedsRepair"
)

// Prometheus finds Berth's pods as the chart says, and Alertmanager notifies as its rules do.
func TestAlerts(t *testing.T) {
	m := startMonitored(enter(t))
	t.Run("every pod is scraped", func(t *testing.T) { m.in(t).everyPodIsScraped() })
	t.Run("a lost GPU is notified of", func(t *testing.T) { m.in(t).aLostGPUIsNotifiedOf() })
	// Some metrics exist only while a node is excluded, or are counted then.
	t.Run("what is asked exists", func(t *testing.T) { m.in(t).whatIsAskedExists() })
}

// monitored is the cluster with a Prometheus and an Alertmanager.
type monitored struct {
	*world
	prometheus *box.Prometheus
	receiver   *monitoring.Receiver
}

func (m *monitored) in(t *testing.T) *monitored {
	return &monitored{enter(t), m.prometheus, m.receiver}
}

func startMonitored(w *world) *monitored {
	w.Helper()
	m := &monitored{world: w, receiver: monitoring.NewReceiver()}
	w.Cleanup(m.receiver.Close)
	alertmanager, err := shared.NewAlertmanager(monitoring.Alertmanager(m.receiver.URL))
	w.Check("configure Alertmanager", err)
	w.Cleanup(alertmanager.Stop)
	w.Check("start Alertmanager", alertmanager.Start(w.Context()))

	objects, err := monitoring.Render(w.Context(), namespace)
	w.Check("render the chart", err)
	w.Check("shorten "+alertOfNodes, objects.Rules.Spec.After(alertOfNodes, 2*time.Second))
	rules, err := yaml.Marshal(objects.Rules.Spec)
	w.Check("write the rules", err)
	rulesFile := filepath.Join(shared.Dir, "rules.yaml")
	w.Check("write the rules", writeAll(map[string]string{rulesFile: string(rules)}))
	m.prometheus, err = shared.NewDiscoveringPrometheus(
		objects.Monitor.Prometheus(w.accessOfPrometheus(), rulesFile, alertmanager.Address))
	w.Check("configure Prometheus", err)
	w.Cleanup(m.prometheus.Stop)
	w.Check("start Prometheus", m.prometheus.Start(w.Context()))
	return m
}

func (w *world) accessOfPrometheus() monitoring.Access {
	w.Helper()
	access := monitoring.Access{Server: "https://" + shared.APIAddress(),
		AuthorityFile: shared.AuthorityFile(), TokenFile: filepath.Join(shared.Dir, "prometheus.token")}
	token, err := monitoring.Grant(w.Context(), shared.Client, namespace)
	w.Check("let Prometheus find pods", err)
	w.Cleanup(func() {
		w.Check("take its rights away", monitoring.Revoke(context.Background(), shared.Client, namespace))
	})
	w.Check("write the token", writeAll(map[string]string{access.TokenFile: token}))
	return access
}

func (m *monitored) everyPodIsScraped() {
	m.Helper()
	var targets []target
	m.Await("all targets to have been scraped", func() bool {
		targets = m.targets()
		return len(targets) > 0 &&
			!slices.ContainsFunc(targets, func(t target) bool { return t.Health == "unknown" })
	})
	var scraped, pods []string
	for _, target := range targets {
		if target.Health != "up" {
			m.Errorf("%v is %s: %s", target.Labels, target.Health, target.LastError)
		}
		scraped = append(scraped, target.Labels["pod"])
	}
	// kube-scheduler is not Berth's program, and gives its metrics to nobody without a token.
	for _, pod := range m.pods(namespace, releaseSelector+",app.kubernetes.io/component!=scheduler") {
		pods = append(pods, pod.Name)
	}
	slices.Sort(scraped)
	slices.Sort(pods)
	if !slices.Equal(scraped, pods) {
		m.Errorf("Prometheus scrapes %v, of pods %v", scraped, pods)
	}
}

// elsewhere are metrics that nothing publishes here: nobody holds a device, and the controller looks
// for no idle ones. Unit tests, and the long test of idle devices, see them.
var elsewhere = []string{"berth_devices_in_use", "berth_idle_devices", "berth_idle_unjudged_devices"}

// A metric that is renamed would leave its alert silent, and its panel empty.
func (m *monitored) whatIsAskedExists() {
	m.Helper()
	chart, err := box.Chart()
	m.Check("find the chart", err)
	var scraped []string
	m.get("label/__name__/values", &scraped)
	for _, name := range []string{"rules.yaml", "dashboard.json"} {
		text, err := os.ReadFile(filepath.Join(chart, "files", name))
		m.Check("read "+name, err)
		asked := monitoring.MetricNames(string(text))
		unknown := slices.DeleteFunc(monitoring.Unknown(asked, scraped), func(name string) bool {
			return slices.Contains(elsewhere, name)
		})
		if len(asked) < 10 || len(unknown) > 0 {
			m.Errorf("%s asks for %d metrics, of which no pod has %q", name, len(asked), unknown)
		}
	}
}

func (m *monitored) aLostGPUIsNotifiedOf() {
	m.Helper()
	m.Await("Prometheus to find Alertmanager, and nothing wrong", func() bool {
		var found struct{ ActiveAlertmanagers []any }
		m.get("alertmanagers", &found)
		return len(found.ActiveAlertmanagers) == 1 && len(m.alerts()) == 0
	})
	node := fleet.Small(1)[0].NodeName(0)
	set := func(lost bool) {
		m.Helper()
		m.Check("set the condition of "+node, fleet.SetCondition(context.Background(), shared.Client,
			node, "GPUIsLost", lost))
	}
	set(true)
	m.Cleanup(func() { set(false) })
	m.compare("firing.json", m.notified("firing"))
	if alerts := m.alerts(); !slices.Equal(alerts, []string{alertOfEachNode, alertOfNodes}) {
		m.Errorf("%v are pending or fire, want %s and %s alone", alerts, alertOfEachNode, alertOfNodes)
	}
	set(false)
	m.compare("resolved.json", m.notified("resolved"))
	if all := m.receiver.Received(); len(all) != 2 {
		m.Errorf("%d notifications, want one of each", len(all))
	}
}

// notified awaits the first notification of that status.
func (m *monitored) notified(status string) monitoring.Notification {
	m.Helper()
	var found monitoring.Notification
	m.Await("a notification that is "+status, func() bool {
		for _, notification := range m.receiver.Received() {
			if notification.Status == status {
				found = notification
				return true
			}
		}
		return false
	})
	return found
}

func (m *monitored) compare(file string, notification monitoring.Notification) {
	m.Helper()
	got, err := notification.Normal()
	m.Check("read the notification", err)
	root, err := box.RepoRoot()
	m.Check("find the repository", err)
	file = filepath.Join(root, "tests", "golden", "alerts", file)
	if *updateGolden {
		m.Check("write "+file, os.WriteFile(file, got, 0o644))
	}
	want, err := os.ReadFile(file)
	m.Check("read "+file, err)
	if string(got) != string(want) {
		m.Errorf("%s is out of date; go test -tags cluster ./node -run TestAlerts -update writes:\n%s",
			file, got)
	}
}

// target is what Prometheus scrapes, as its API describes it.
type target struct {
	Health, LastError string
	Labels            map[string]string
}

func (m *monitored) targets() []target {
	m.Helper()
	var found struct{ ActiveTargets []target }
	m.get("targets", &found)
	return found.ActiveTargets
}

// alerts are the names of those that are pending or fire.
func (m *monitored) alerts() []string {
	m.Helper()
	var found struct {
		Alerts []struct{ Labels map[string]string }
	}
	m.get("alerts", &found)
	var names []string
	for _, alert := range found.Alerts {
		names = append(names, alert.Labels["alertname"])
	}
	slices.Sort(names)
	return names
}

func (m *monitored) get(path string, data any) {
	m.Helper()
	m.Check("ask Prometheus for "+path, m.prometheus.Get(m.Context(), path, data))
}
