// Package monitoring runs Prometheus and Alertmanager on what Berth's chart gives the Prometheus
// operator, and keeps what they notify of.
package monitoring

import (
	"context"
	"fmt"
	"os/exec"

	"sigs.k8s.io/yaml"

	"berth.dev/berth/tests/e2e/box"
)

// Objects are what the chart has for the operator.
type Objects struct {
	Monitor ServiceMonitor
	Rules   PrometheusRule
}

// Meta is an object's metadata.
type Meta struct {
	Name      string            `json:"name"`
	Namespace string            `json:"namespace"`
	Labels    map[string]string `json:"labels"`
}

// ServiceMonitor has the fields that are translated; one with others is not read.
type ServiceMonitor struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	Metadata   Meta   `json:"metadata"`
	Spec       struct {
		Selector struct {
			MatchLabels map[string]string `json:"matchLabels"`
		} `json:"selector"`
		Endpoints []struct {
			Port        string `json:"port"`
			Interval    string `json:"interval"`
			HonorLabels bool   `json:"honorLabels"`
		} `json:"endpoints"`
	} `json:"spec"`
}

// PrometheusRule holds a file of rules as Prometheus reads it.
type PrometheusRule struct {
	APIVersion string    `json:"apiVersion"`
	Kind       string    `json:"kind"`
	Metadata   Meta      `json:"metadata"`
	Spec       RulesFile `json:"spec"`
}

// RulesFile has the fields that the chart's rules use; one with others is not read.
type RulesFile struct {
	Groups []RuleGroup `json:"groups"`
}

type RuleGroup struct {
	Name     string `json:"name"`
	Interval string `json:"interval,omitempty"`
	Rules    []Rule `json:"rules"`
}

// Rule is an alert, or what is recorded.
type Rule struct {
	Alert       string            `json:"alert,omitempty"`
	Record      string            `json:"record,omitempty"`
	Expr        string            `json:"expr"`
	For         string            `json:"for,omitempty"`
	Labels      map[string]string `json:"labels,omitempty"`
	Annotations map[string]string `json:"annotations,omitempty"`
}

// Render has the real helm render the objects of release berth in the namespace, which scrape every
// second.
func Render(ctx context.Context, namespace string) (Objects, error) {
	var objects Objects
	if err := render(ctx, namespace, "service-monitor", &objects.Monitor); err != nil {
		return objects, err
	}
	return objects, render(ctx, namespace, "prometheus-rule", &objects.Rules)
}

func render(ctx context.Context, namespace, template string, object any) error {
	helm, err := box.Program("helm")
	if err != nil {
		return err
	}
	chart, err := box.Chart()
	if err != nil {
		return err
	}
	text, err := exec.CommandContext(ctx, helm, "template", "berth", chart, "--namespace", namespace,
		"--set", "metrics.serviceMonitor.enabled=true,metrics.serviceMonitor.interval=1s",
		"--set", "metrics.prometheusRule.enabled=true",
		"--show-only", "templates/monitoring/"+template+".yaml").Output()
	if err != nil {
		return fmt.Errorf("render the chart's %s: %w", template, err)
	}
	if err := yaml.UnmarshalStrict(text, object); err != nil {
		return fmt.Errorf("the chart's %s: %w", template, err)
	}
	return nil
}
