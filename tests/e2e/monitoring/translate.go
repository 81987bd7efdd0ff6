package monitoring

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"time"
)

// Access is how Prometheus asks kube-apiserver for what it scrapes.
type Access struct {
	Server        string // https://host:port
	AuthorityFile string // PEM
	TokenFile     string
}

// Prometheus is the configuration that the operator would write for a ServiceMonitor
// (prometheus-operator, pkg/prometheus/promcfg.go, generateServiceMonitorConfig): the same objects are
// found by the same labels and port, and the series get the same labels. What of it concerns
// clusters of more than one Prometheus is left out. rulesFile has the rules.
func (m *ServiceMonitor) Prometheus(access Access, rulesFile, alertmanager string) map[string]any {
	var jobs []any
	for index, endpoint := range m.Spec.Endpoints {
		jobs = append(jobs, map[string]any{
			"job_name":              fmt.Sprintf("serviceMonitor/%s/%s/%d", m.Metadata.Namespace, m.Metadata.Name, index),
			"scrape_interval":       endpoint.Interval,
			"honor_labels":          endpoint.HonorLabels,
			"kubernetes_sd_configs": []any{access.discovery(m.Metadata.Namespace)},
			"relabel_configs":       slices.Concat(m.keep(endpoint.Port), describe(endpoint.Port)),
		})
	}
	return map[string]any{
		"global":         map[string]any{"evaluation_interval": "1s"},
		"scrape_configs": jobs,
		"rule_files":     []string{rulesFile},
		"alerting": map[string]any{"alertmanagers": []any{map[string]any{"static_configs": []any{
			map[string]any{"targets": []string{alertmanager}}}}}},
	}
}

func (a Access) discovery(namespace string) map[string]any {
	return map[string]any{
		"role":          "endpointslice",
		"namespaces":    map[string]any{"names": []string{namespace}},
		"api_server":    a.Server,
		"authorization": map[string]any{"credentials_file": a.TokenFile},
		"tls_config":    map[string]any{"ca_file": a.AuthorityFile},
	}
}

// keep leaves the port of the Services that are selected, and no others.
func (m *ServiceMonitor) keep(port string) []any {
	kept := []any{keepOnly("__meta_kubernetes_endpointslice_port_name", port)}
	for _, label := range slices.Sorted(maps.Keys(m.Spec.Selector.MatchLabels)) {
		kept = append(kept, keepOnly("__meta_kubernetes_service_label_"+sanitised(label),
			m.Spec.Selector.MatchLabels[label]))
	}
	return kept
}

// describe writes where series are from.
func describe(port string) []any {
	described := []any{map[string]any{"target_label": "endpoint", "replacement": port}}
	for _, label := range [][2]string{
		{"namespace", "namespace"}, {"service", "service_name"}, {"job", "service_name"},
		{"pod", "pod_name"}, {"container", "pod_container_name"},
	} {
		described = append(described, map[string]any{"target_label": label[0],
			"source_labels": []string{"__meta_kubernetes_" + label[1]}})
	}
	return described
}

func keepOnly(label, value string) map[string]any {
	return map[string]any{"action": "keep", "source_labels": []string{label},
		"regex": regexp.QuoteMeta(value)}
}

var notInLabels = regexp.MustCompile(`[^a-zA-Z0-9_]`)

// sanitised is how Prometheus names the label of a Service (util/strutil, SanitizeLabelName).
func sanitised(label string) string { return notInLabels.ReplaceAllString(label, "_") }

// After has an alert fire when its condition has held for so long, instead of what the chart says:
// the chart has no value for that, and minutes are too long for a test.
func (file *RulesFile) After(alert string, wait time.Duration) error {
	for _, group := range file.Groups {
		for i := range group.Rules {
			if group.Rules[i].Alert == alert {
				group.Rules[i].For = fmt.Sprintf("%dms", wait.Milliseconds())
				return nil
			}
		}
	}
	return fmt.Errorf("the chart has no alert %s", alert)
}

// Alertmanager is a configuration that notifies a webhook of each alert at once, also when it is
// over.
func Alertmanager(webhook string) map[string]any {
	return map[string]any{
		"route": map[string]any{"receiver": "webhook", "group_by": []string{"alertname"},
			"group_wait": "0s", "group_interval": "1s", "repeat_interval": "1h"},
		"receivers": []any{map[string]any{"name": "webhook", "webhook_configs": []any{
			map[string]any{"url": webhook, "send_resolved": true}}}},
	}
}
