package load

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// listener is a test that keeps what it is told instead of failing. One that is told to give up
// goes on; nothing here does.
type listener struct {
	*testing.T
	errors []string
}

func (l *listener) Errorf(format string, arguments ...any) {
	l.errors = append(l.errors, fmt.Sprintf(format, arguments...))
}

func TestLoadCountsWhatItDid(t *testing.T) {
	var steps atomic.Int64
	l := Start(t, "steps", 2, time.Millisecond, func(context.Context) error {
		steps.Add(1)
		return nil
	})
	l.AwaitMore(20)
	l.ExpectNoFailure(20)
	if got := int64(l.Done()); got != steps.Load() {
		t.Errorf("counts %d of %d steps", got, steps.Load())
	}
}

func TestLoadTellsOfFailures(t *testing.T) {
	heard := &listener{T: t}
	l := Start(heard, "steps", 1, time.Millisecond, func(context.Context) error {
		return errors.New("stumbled")
	})
	l.AwaitMore(5)
	l.ExpectNoFailure(1)
	if len(heard.errors) != 1 || strings.Count(heard.errors[0], "stumbled") != shownMost {
		t.Errorf("says %q, want %d of the failures", heard.errors, shownMost)
	}
}

// Of a load that did next to nothing no failure means nothing.
func TestLoadTellsOfIdleness(t *testing.T) {
	heard := &listener{T: t}
	l := Start(heard, "steps", 1, time.Hour, func(context.Context) error { return nil })
	l.AwaitMore(0)
	l.ExpectNoFailure(5)
	if len(heard.errors) != 1 || !strings.HasSuffix(heard.errors[0], "steps only") {
		t.Errorf("says %q", heard.errors)
	}
}
