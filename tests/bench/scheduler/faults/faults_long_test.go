//go:build long

package faults

import (
	"path/filepath"
	"strings"
	"testing"
)

// The command does this with more pods.
func TestEveryFaultIsMeasured(t *testing.T) {
	// The next fault would wait for the Lease of a controller that was killed to expire.
	const quick = "none,scheduler-restarted,leader-changed,controllers-killed"
	o, err := parse([]string{"-nodes", "60", "-pods", "60", "-faults", quick, "-json",
		filepath.Join(t.TempDir(), "a.json")})
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	if err := run(t.Context(), o, &out, t.Output()); err != nil {
		t.Fatal(err)
	}
	for _, f := range o.faults {
		if !strings.Contains(out.String(), "| "+f.title+" | 1 |") {
			t.Errorf("nothing of %q in\n%s", f.title, &out)
		}
	}
}
