package box

import (
	"context"
	"os"
	"testing"
)

// ForTest starts a box that one test has for itself. It stops with the test; where that has failed
// the programs' logs are shown and kept first. Hence not Start with the test's context: that ends
// before what a test has registered to be cleaned up.
func ForTest(t testing.TB, options Options) *Box {
	t.Helper()
	if options.Progress == nil {
		options.Progress = t.Output()
	}
	b, err := Start(context.WithoutCancel(t.Context()), options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if t.Failed() {
			b.KeepLogs(os.Stderr)
		}
		b.Stop()
	})
	return b
}
