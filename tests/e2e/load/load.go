// Package load has things done again and again while something else happens, and fails the test if
// one of them does not succeed.
package load

import (
	"context"
	"strings"
	"sync"
	"testing"
	"time"
)

const (
	awaitTimeout = time.Minute
	pollInterval = 100 * time.Millisecond
	shownMost    = 3 // of the failures
)

// Load is what some workers do, each one after the other. Thread-safe.
type Load struct {
	t        testing.TB
	what     string
	over     chan struct{}
	end      sync.Once
	workers  sync.WaitGroup
	mu       sync.Mutex
	times    int
	failures []string
	slowest  time.Duration
}

// Start does something again and again, each worker with pauses, until ExpectNoFailure or the end of
// the test. What has begun by then still counts.
func Start(
	t testing.TB, what string, workers int, pause time.Duration, do func(context.Context) error,
) *Load {
	l := &Load{t: t, what: what, over: make(chan struct{})}
	for range workers {
		l.workers.Go(func() { l.work(pause, do) })
	}
	t.Cleanup(l.stop) // also where the test gives up
	return l
}

// Done is how often it has been done.
func (l *Load) Done() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.times
}

// AwaitMore waits until it has been done so many more times.
func (l *Load) AwaitMore(times int) {
	l.t.Helper()
	wanted := l.Done() + times
	for deadline := time.Now().Add(awaitTimeout); l.Done() < wanted; time.Sleep(pollInterval) {
		if time.Now().After(deadline) {
			l.t.Fatalf("waited %s in vain for %d more %s", awaitTimeout, times, l.what)
		}
	}
}

// ExpectNoFailure ends the load and fails the test if anything has failed, or hardly anything was done.
func (l *Load) ExpectNoFailure(atLeast int) {
	l.t.Helper()
	l.stop()
	if len(l.failures) > 0 {
		l.t.Errorf("%d of %d %s failed: %s", len(l.failures), l.times, l.what,
			strings.Join(l.failures[:min(shownMost, len(l.failures))], "; "))
	}
	if l.times < atLeast {
		l.t.Errorf("%d %s only", l.times, l.what)
	}
	l.t.Logf("%d %s, the slowest in %s", l.times, l.what, l.slowest.Round(time.Millisecond))
}

func (l *Load) work(pause time.Duration, do func(context.Context) error) {
	for {
		begin := time.Now()
		err := do(context.Background())
		l.note(err, time.Since(begin))
		select {
		case <-l.over:
			return
		case <-time.After(pause):
		}
	}
}

func (l *Load) note(err error, took time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.times++
	l.slowest = max(l.slowest, took)
	if err != nil {
		l.failures = append(l.failures, err.Error())
	}
}

func (l *Load) stop() {
	l.end.Do(func() { close(l.over) })
	l.workers.Wait()
}
