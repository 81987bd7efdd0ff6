package chart

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	monitoringv1 "github.com/prometheus-operator/prometheus-operator/pkg/apis/monitoring/v1"
	"sigs.k8s.io/yaml"
)

const alertTests = "testdata/alerts.yaml"

// alerts are those of a rules file, by group.
func alerts(t *testing.T, text string) map[string][]monitoringv1.Rule {
	t.Helper()
	groups := map[string][]monitoringv1.Rule{}
	for name, rules := range rulesOf(t, text) {
		groups[name] = slices.DeleteFunc(rules, func(rule monitoringv1.Rule) bool { return rule.Alert == "" })
	}
	return groups
}

// rulesOf are the alerts and what is recorded, by group.
func rulesOf(t *testing.T, text string) map[string][]monitoringv1.Rule {
	t.Helper()
	var file monitoringv1.PrometheusRuleSpec
	if err := yaml.UnmarshalStrict([]byte(text), &file); err != nil {
		t.Fatal(err)
	}
	groups := map[string][]monitoringv1.Rule{}
	for _, group := range file.Groups {
		groups[group.Name] = group.Rules
	}
	return groups
}

func TestAlertsAreValid(t *testing.T) {
	file := filepath.Join(chartFolder(t), "files", "rules.yaml")
	if text, err := run(t, "", program(t, "promtool"), "check", "rules", "--lint-fatal", file); err != nil {
		t.Errorf("%v\n%s", err, text)
	}
}

// Each fires where it has to, and none where all is well.
func TestAlertsFire(t *testing.T) {
	if text, err := run(t, "", program(t, "promtool"), "test", "rules", alertTests); err != nil {
		t.Errorf("%v\n%s", err, text)
	}
	tests, err := os.ReadFile(alertTests)
	if err != nil {
		t.Fatal(err)
	}
	for _, rules := range alerts(t, readChart(t, "files/rules.yaml")) {
		for _, rule := range rules {
			if !strings.Contains(string(tests), "- name: "+rule.Alert+"\n") {
				t.Errorf("%s has no test in %s", rule.Alert, alertTests)
			}
		}
	}
}

// Who is woken by one finds what it means and what to do.
func TestAlertsHaveARunbook(t *testing.T) {
	page, err := os.ReadFile(filepath.Join(repoRoot(t), "docs", "operations.md"))
	if err != nil {
		t.Fatal(err)
	}
	known := map[string]bool{}
	for _, rules := range alerts(t, readChart(t, "files/rules.yaml")) {
		for _, rule := range rules {
			known[rule.Alert] = true
			if !strings.Contains(string(page), "\n### "+rule.Alert+"\n") {
				t.Errorf("docs/operations.md has no section %s", rule.Alert)
			}
			want := "docs/operations.md#" + strings.ToLower(rule.Alert)
			if got := rule.Annotations["runbook"]; got != want {
				t.Errorf("%s leads to %s", rule.Alert, got)
			}
			row := "| [" + rule.Alert + "](#" + strings.ToLower(rule.Alert) + ") | " +
				rule.Labels["severity"] + " | " + string(*rule.For) + " |"
			if !strings.Contains(string(page), row) {
				t.Errorf("docs/operations.md has no row %s", row)
			}
		}
	}
	for _, section := range regexp.MustCompile(`(?m)^### (Berth\w+)$`).FindAllStringSubmatch(string(page), -1) {
		if !known[section[1]] {
			t.Errorf("docs/operations.md explains %s, which does not exist", section[1])
		}
	}
}

// A metric that is renamed would leave its alert silent for ever.
func TestAlertsAreAboutMetricsThatExist(t *testing.T) {
	page, err := os.ReadFile(filepath.Join(repoRoot(t), "docs", "metrics.md"))
	if err != nil {
		t.Fatal(err)
	}
	metric := regexp.MustCompile(`\bberth_[a-z_]+[a-z]\b`)
	for _, rules := range rulesOf(t, readChart(t, "files/rules.yaml")) {
		for _, rule := range rules {
			for _, name := range metric.FindAllString(rule.Expr.String(), -1) {
				if !strings.Contains(string(page), "`"+strings.TrimSuffix(name, "_bucket")+"`") {
					t.Errorf("%s is about %s, which docs/metrics.md does not have", rule.Alert+rule.Record, name)
				}
			}
		}
	}
}

func TestAlertsOfTheOperatorAreThoseOfTheFile(t *testing.T) {
	for values, missing := range map[string]string{
		"": "", "admission: {enabled: false}": "berth.admission",
	} {
		rule := named[*monitoringv1.PrometheusRule](
			render(t, "metrics: {prometheusRule: {enabled: true}}\n"+values), "berth")
		want := rulesOf(t, readChart(t, "files/rules.yaml"))
		delete(want, missing)
		if len(rule.Spec.Groups) != len(want) {
			t.Errorf("%s: %d groups, want %d", values, len(rule.Spec.Groups), len(want))
		}
		for _, group := range rule.Spec.Groups {
			if len(group.Rules) != len(want[group.Name]) {
				t.Errorf("%s: %d rules in %s", values, len(group.Rules), group.Name)
			}
		}
	}
}
