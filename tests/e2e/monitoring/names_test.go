package monitoring

import (
	"slices"
	"testing"
)

func TestMetricNames(t *testing.T) {
	for queries, want := range map[string][]string{
		"sum by (verb) (rate(berth_extender_requests_total{result=\"error\"}[5m])) > 0": {
			"berth_extender_requests_total"},
		"berth_nodes > 0 or berth_nodes":                      {"berth_nodes"},
		`min({__name__=~"berth_.*seconds_left"}) < 14 * 24`:   {"berth_.*seconds_left"},
		`"expr": "max(berth_b{namespace=~\"$n\"}) / berth_a"`: {"berth_a", "berth_b"},
		"up": nil,
	} {
		if got := MetricNames(queries); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", queries, got, want)
		}
	}
}

func TestUnknown(t *testing.T) {
	scraped := []string{"berth_nodes_by_condition", "berth_certificate_seconds_left"}
	for name, known := range map[string]bool{
		"berth_nodes_by_condition": true, "berth_nodes": false, "berth_.*seconds_left": true,
		"berth_.*_gone": false,
	} {
		if got := Unknown([]string{name}, scraped); (len(got) == 0) != known {
			t.Errorf("%s: unknown %q", name, got)
		}
	}
}
