//go:build long

package install

import (
	"testing"
)

// A test that cannot fail tests nothing.
func TestHelmTestSaysWhatDoesNotWork(t *testing.T) {
	for _, c := range []struct{ component, finding, well string }{
		{"admission", "problem  webhook", "ok       extender"},
		{"extender", "problem  extender", "ok       webhook"},
	} {
		t.Run(c.component, func(t *testing.T) {
			w := release(t, nil)
			w.scale(c.component, 0)
			defer w.scale(c.component, 2)
			defer w.forgetTest()
			said, err := shared.Helm(t.Context(), "test", releaseName, "--timeout", "1m")
			if err == nil {
				t.Error("passes")
			}
			if err := contains(said, c.finding, c.well); err != nil {
				t.Errorf("%v in\n%s", err, said)
			}
		})
	}
}
