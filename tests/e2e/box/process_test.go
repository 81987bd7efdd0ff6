package box

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// shell makes a process that runs a script.
func shell(t *testing.T, script string, ready func(context.Context) error) *Process {
	t.Helper()
	log := filepath.Join(t.TempDir(), "log")
	p := &Process{
		Name: "shell", LogFile: log, path: "/bin/sh", args: []string{"-c", script}, ready: ready,
	}
	t.Cleanup(p.Kill)
	return p
}

func always(context.Context) error { return nil }

func never(context.Context) error { return errors.New("not yet") }

func alive(pid int) bool { return syscall.Kill(pid, 0) == nil }

func TestStartFailsWithTheLogWhenTheProgramEnds(t *testing.T) {
	err := shell(t, "echo no such flag; exit 3", never).Start(t.Context())
	if err == nil || !strings.Contains(err.Error(), "no such flag") ||
		!strings.Contains(err.Error(), "exit status 3") {
		t.Errorf("error %v, want exit status and log", err)
	}
}

func TestStartThatDoesNotGetReadyLeavesNothing(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	p := shell(t, "exec sleep 60", never)
	err := p.Start(ctx)
	if err == nil || !strings.Contains(err.Error(), "not yet") {
		t.Errorf("error %v, want what it was not ready for", err)
	}
	if p.Running() || alive(p.Pid()) {
		t.Error("the program still runs")
	}
}

func TestMissingProgramIsAnError(t *testing.T) {
	p := shell(t, "", always)
	p.path = "/nonexistent/program"
	if err := p.Start(t.Context()); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("error %v", err)
	}
}

func TestRunningProgramIsNotStartedTwice(t *testing.T) {
	p := shell(t, "exec sleep 60", always)
	if err := p.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	pid := p.Pid()
	if err := p.Start(t.Context()); err == nil || p.Pid() != pid {
		t.Errorf("second start: %v, pid %d, was %d", err, p.Pid(), pid)
	}
}

func TestEndings(t *testing.T) {
	cases := []struct {
		name string
		end  func(*Process)
	}{
		{"stop", (*Process).Stop},
		{"kill", (*Process).Kill},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			p := shell(t, "exec sleep 60", always)
			if err := p.Start(t.Context()); err != nil {
				t.Fatal(err)
			}
			first := p.Pid()
			c.end(p)
			if p.Running() || alive(first) {
				t.Error("the program still runs")
			}
			c.end(p) // what has ended may be ended again
			if err := p.Start(t.Context()); err != nil || p.Pid() == first {
				t.Errorf("start after the end: %v", err)
			}
		})
	}
}

func TestRestartAppendsToTheLog(t *testing.T) {
	p := shell(t, "echo hello; exec sleep 60", always)
	logged := func(times int) func(context.Context) error {
		return func(context.Context) error {
			if strings.Count(tail(p.LogFile, 10), "hello") != times {
				return errors.New("not logged yet")
			}
			return nil
		}
	}
	p.ready = logged(1)
	if err := p.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	p.Stop()
	p.ready = logged(2)
	if err := p.Start(t.Context()); err != nil {
		t.Error(err)
	}
}

func TestTailCutsLinesAndLength(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log")
	content := "one\ntwo\n" + strings.Repeat("x", logLineWidth+1) + "\n"
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	want := "two\n" + strings.Repeat("x", logLineWidth) + "..."
	if got := tail(path, 2); got != want {
		t.Errorf("tail %q, want %q", got, want)
	}
	if got := tail(path+"-missing", 2); !strings.Contains(got, "no such file") {
		t.Errorf("tail of a missing file: %q", got)
	}
}

func TestPortsAreFreeDistinctAndNotEphemeral(t *testing.T) {
	seen := map[int]bool{}
	for range 50 {
		port, err := freePort()
		if err != nil {
			t.Fatal(err)
		}
		if seen[port] || !canListen(port) || port >= dynamicRangeStart() {
			t.Errorf("port %d is taken, given twice or ephemeral", port)
		}
		seen[port] = true
	}
}
