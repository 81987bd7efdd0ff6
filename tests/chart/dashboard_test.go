package chart

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
)

const shownTimeout = 90 * time.Second

// panel is what the dashboard shows.
type panel struct {
	Type, Title, Description string
	GridPos                  struct{ X, Y, W, H int }
	Targets                  []struct{ Expr, LegendFormat string }
}

func panels(t *testing.T) []panel {
	t.Helper()
	var dashboard struct{ Panels []panel }
	if err := json.Unmarshal([]byte(readChart(t, "files/dashboard.json")), &dashboard); err != nil {
		t.Fatal(err)
	}
	return dashboard.Panels
}

// The controller first looks for idle devices after a minute: TestIdleDevices asks these queries.
const shownLater = "berth_idle_"

// Every query is asked of a real Prometheus that scrapes a real Berth under traffic.
func TestDashboardShowsSomethingEverywhere(t *testing.T) {
	w := startMonitored(t)
	variables := strings.NewReplacer("$namespace", "berth-system", "$__rate_interval", "15s",
		"$__range:1m", "60s:1s", "$__range", "60s") // nobody waits for a minute
	missing := map[string]bool{}
	for _, panel := range panels(t) {
		for _, target := range panel.Targets {
			if !strings.Contains(target.Expr, shownLater) {
				missing[variables.Replace(target.Expr)] = true
			}
		}
	}
	if len(missing) == 0 {
		t.Fatal("the dashboard asks nothing")
	}
	for deadline := time.Now().Add(shownTimeout); len(missing) > 0; {
		w.traffic()
		for query := range missing {
			numbers, err := w.prometheus.Query(t.Context(), query)
			if err != nil {
				t.Fatal(err)
			}
			if len(numbers) > 0 {
				delete(missing, query)
			}
		}
		if time.Now().After(deadline) {
			t.Fatalf("nothing is shown for %q", slices.Sorted(maps.Keys(missing)))
		}
	}
}

func TestDashboardIsLaidOut(t *testing.T) {
	taken := map[[2]int]string{}
	for _, panel := range panels(t) {
		for x := panel.GridPos.X; x < panel.GridPos.X+panel.GridPos.W; x++ {
			for y := panel.GridPos.Y; y < panel.GridPos.Y+panel.GridPos.H; y++ {
				if other, is := taken[[2]int{x, y}]; is || x >= 24 {
					t.Fatalf("%s lies on %s, or beside the page", panel.Title, other)
				}
				taken[[2]int{x, y}] = panel.Title
			}
		}
		if panel.Type != "row" && (panel.Description == "" || len(panel.Targets) == 0) {
			t.Errorf("%s says nothing", panel.Title)
		}
	}
}

func TestDashboardIsFoundBySidecars(t *testing.T) {
	r := render(t, "metrics: {dashboard: {enabled: true, annotations: {grafana_folder: ML}}}")
	config := named[*corev1.ConfigMap](r, "berth-dashboard")
	if config.Labels["grafana_dashboard"] != "1" || config.Annotations["grafana_folder"] != "ML" {
		t.Errorf("labels %v, annotations %v", config.Labels, config.Annotations)
	}
	if strings.TrimSpace(config.Data["berth.json"]) != strings.TrimSpace(readChart(t, "files/dashboard.json")) {
		t.Error("it is not the dashboard of the file")
	}
}
