//go:build long

package e2e

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"sigs.k8s.io/yaml"

	"berth.dev/berth/tests/e2e/box"
	"berth.dev/berth/tests/e2e/monitoring"
)

const (
	alertOfEachNode = "BerthNodeNeedsRepair"
	// How far the alert looks back, in the chart and here.
	lookBack, shortLookBack = "[5m]", "[2s]"
)

var updateNotifications = flag.Bool("update-notifications", false,
	"write the golden notifications of nodes anew")

// Broken nodes become issues by the real Prometheus and Alertmanager, with the chart's rules and the
// route of docs/alertmanager.yaml.
func TestIssues(t *testing.T) {
	w := startIssues(t)
	node, other := nodesOf("mn2b-a100")[0], nodesOf("mn2a")[0]

	w.breaks("GPUIsLost", "Exclude", node)
	firing := w.notified(1)[0]
	w.compare("node-firing.json", firing)
	id := w.take(firing)
	w.is(id, monitoring.Issue{Open: true, Opened: 1, Labels: []string{"berth", "owner/vision"}})

	w.breaks("DStateProcess", "Exclude", node, other)
	for _, notification := range w.notified(3)[1:] {
		w.take(notification)
	}
	if len(w.issues.ByID) != 3 {
		t.Errorf("%d issues of two conditions, of which one is on two nodes", len(w.issues.ByID))
	}

	w.repairs("GPUIsLost", node)
	resolved := w.notified(4)[3]
	w.compare("node-resolved.json", resolved)
	if got := w.take(resolved); got != id {
		t.Errorf("%s is resolved, not %s", got, id)
	}
	w.is(id, monitoring.Issue{Opened: 1, Labels: []string{"berth", "owner/vision"}})

	w.breaks("GPUIsLost", "Exclude", node)
	w.take(w.notified(5)[4])
	w.is(id, monitoring.Issue{Open: true, Opened: 2, Labels: []string{"berth", "owner/vision"}})
	if len(w.issues.ByID) != 3 {
		t.Errorf("%d issues, of which one was reopened", len(w.issues.ByID))
	}
}

// issueWorld has what makes issues of broken nodes.
type issueWorld struct {
	*world
	receiver *monitoring.Receiver
	issues   *monitoring.Issues
}

func startIssues(t *testing.T) *issueWorld {
	t.Helper()
	if _, err := box.Program("alertmanager"); err != nil {
		t.Skipf("tests/e2e/build/build.sh alertmanager builds what this test needs: %v", err)
	}
	w := &issueWorld{world: fresh(t), receiver: monitoring.NewReceiver()}
	t.Cleanup(w.receiver.Close)
	identity, err := monitoring.Identity(w.file("docs", "operations.md"))
	w.Check("find the identity", err)
	w.issues, err = monitoring.NewIssues(identity)
	w.Check("read the identity", err)

	alertmanager, err := w.box.NewAlertmanager(w.alertmanager())
	w.Check("configure Alertmanager", err)
	t.Cleanup(alertmanager.Stop)
	w.Check("start Alertmanager", alertmanager.Start(t.Context()))
	prometheus, err := w.box.NewConfiguredPrometheus(map[string]any{
		"global": map[string]any{"scrape_interval": "1s", "evaluation_interval": "1s"},
		"scrape_configs": []any{map[string]any{"job_name": "berth", "static_configs": []any{
			map[string]any{"targets": []string{strings.TrimPrefix(w.box.Berth.MetricsURL, "http://")},
				"labels": map[string]string{"namespace": "berth-system", "pod": "extender"}}}}},
		"rule_files": []string{w.rules()},
		"alerting": map[string]any{"alertmanagers": []any{map[string]any{"static_configs": []any{
			map[string]any{"targets": []string{alertmanager.Address}}}}}},
	})
	w.Check("configure Prometheus", err)
	t.Cleanup(prometheus.Stop)
	w.Check("start Prometheus", prometheus.Start(t.Context()))
	return w
}

func (w *issueWorld) file(path ...string) string {
	w.Helper()
	root, err := box.RepoRoot()
	w.Check("find the repository", err)
	text, err := os.ReadFile(filepath.Join(append([]string{root}, path...)...))
	w.Check("read "+filepath.Join(path...), err)
	return string(text)
}

// alertmanager is docs/alertmanager.yaml with other addresses, and without waits.
func (w *issueWorld) alertmanager() map[string]any {
	w.Helper()
	text := w.file("docs", "alertmanager.yaml")
	for from, to := range map[string]string{"http://alertmanager-to-github:8080": w.receiver.URL,
		"group_wait: 30s": "group_wait: 0s", "group_interval: 5m": "group_interval: 1s"} {
		if !strings.Contains(text, from) {
			w.Fatalf("docs/alertmanager.yaml does not say %q", from)
		}
		text = strings.ReplaceAll(text, from, to)
	}
	var configuration map[string]any
	w.Check("read docs/alertmanager.yaml", yaml.Unmarshal([]byte(text), &configuration))
	return configuration
}

// rules is a file with the chart's, of which the alert of each node neither waits nor looks back for
// minutes.
func (w *issueWorld) rules() string {
	w.Helper()
	var rules monitoring.RulesFile
	text := strings.ReplaceAll(w.file("charts", "berth", "files", "rules.yaml"),
		"(berth_node_excluded_devices"+lookBack+")", "(berth_node_excluded_devices"+shortLookBack+")")
	w.Check("read the rules", yaml.UnmarshalStrict([]byte(text), &rules))
	w.Check("shorten "+alertOfEachNode, rules.After(alertOfEachNode, 2*time.Second))
	written, err := yaml.Marshal(rules)
	w.Check("write the rules", err)
	file := filepath.Join(w.TempDir(), "rules.yaml")
	w.Check("write the rules", os.WriteFile(file, written, 0o644))
	return file
}

// notified awaits so many notifications and returns all.
func (w *issueWorld) notified(count int) []monitoring.Notification {
	w.Helper()
	var received []monitoring.Notification
	w.Await(fmt.Sprintf("%d notifications", count), func() bool {
		received = w.receiver.Received()
		return len(received) >= count
	})
	if len(received) > count {
		w.Fatalf("%d notifications, want %d", len(received), count)
	}
	return received
}

func (w *issueWorld) take(notification monitoring.Notification) string {
	w.Helper()
	id, err := w.issues.Take(notification)
	w.Check("make an issue", err)
	return id
}

func (w *issueWorld) is(id string, want monitoring.Issue) {
	w.Helper()
	got := *w.issues.ByID[id]
	for _, annotation := range []string{"summary", "description", "runbook"} {
		if got.Body[annotation] == "" {
			w.Errorf("the issue has no %s: %v", annotation, got.Body)
		}
	}
	got.Body = nil
	if fmt.Sprint(got) != fmt.Sprint(want) {
		w.Errorf("the issue is %+v, want %+v", got, want)
	}
}

// compare holds a notification against a golden file, in which the alert looks back as it does in
// the chart.
func (w *issueWorld) compare(name string, notification monitoring.Notification) {
	w.Helper()
	normal, err := notification.Normal()
	w.Check("read the notification", err)
	got := strings.ReplaceAll(string(normal), "%5B2s%5D", "%5B5m%5D")
	root, err := box.RepoRoot()
	w.Check("find the repository", err)
	if *updateNotifications {
		w.Check("write "+name,
			os.WriteFile(filepath.Join(root, "tests", "golden", "alerts", name), []byte(got), 0o644))
	}
	if want := w.file("tests", "golden", "alerts", name); got != want {
		w.Errorf("%s is out of date; go test -tags long . -run TestIssues -update-notifications "+
			"writes:\n%s", name, got)
	}
}
