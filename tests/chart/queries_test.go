package chart

import (
	"path/filepath"
	"testing"
)

// Prometheus refuses some queries only once it has certain series, such as those of an exporter before
// and after it was made anew.
func TestQueriesAboutIdleDevicesAreAnswered(t *testing.T) {
	file := filepath.Join(repoRoot(t), "tests", "golden", "usage", "queries.yaml")
	if text, err := run(t, "", program(t, "promtool"), "test", "rules", file); err != nil {
		t.Errorf("%v\n%s", err, text)
	}
}
