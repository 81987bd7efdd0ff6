package box

import (
	"context"
	"os"
	"testing"
	"time"
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

// Test is a test that says what went wrong, or what it has waited for in vain.
type Test struct {
	*testing.T
	Timeout time.Duration // of what it awaits
}

// Check ends the test if there is an error.
func (t Test) Check(what string, err error) {
	t.Helper()
	if err != nil {
		t.Fatalf("%s: %v", what, err)
	}
}

// Await polls until a condition holds.
func (t Test) Await(what string, holds func() bool) {
	t.Helper()
	if !HoldsWithin(t.Timeout, holds) {
		t.Fatalf("waited %s in vain for %s", t.Timeout, what)
	}
}

// HoldsWithin polls until a condition holds, and tells whether it did in time.
func HoldsWithin(timeout time.Duration, holds func() bool) bool {
	for deadline := time.Now().Add(timeout); !holds(); time.Sleep(readyInterval) {
		if time.Now().After(deadline) {
			return false
		}
	}
	return true
}
