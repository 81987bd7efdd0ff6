//go:build cluster

package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"berth.dev/berth/tests/e2e/box"
	"berth.dev/berth/tests/e2e/node"
)

const showTimeout = 5 * time.Minute

// program is this command, built once.
var program string

func TestMain(m *testing.M) { os.Exit(build(m)) }

func build(m *testing.M) int {
	if node.Missing() != "" {
		return m.Run() // every test says so
	}
	folder, err := os.MkdirTemp("", "")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(folder)
	program = filepath.Join(folder, "cluster")
	if said, err := exec.Command("go", "build", "-o", program, ".").CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "%v\n%s", err, said)
		return 1
	}
	return m.Run()
}

func command(arguments ...string) *exec.Cmd { return exec.Command(program, arguments...) }

// run is the command while it runs.
type run struct {
	*exec.Cmd
	box.Test
	said  *box.Output
	ended chan struct{} // closed when it has
}

// start begins it; what the test leaves of it is cleaned.
func start(t *testing.T, arguments ...string) *run {
	t.Helper()
	r := &run{Cmd: command(arguments...), Test: box.Test{T: t, Timeout: showTimeout}, said: &box.Output{},
		ended: make(chan struct{})}
	r.Stdout, r.Stderr = r.said, r.said
	// As a shell does. Its children are in others, and must hear of signals all the same.
	r.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	r.Check("start", r.Start())
	go func() {
		_ = r.Wait() // the exit code tells
		close(r.ended)
	}()
	t.Cleanup(func() {
		_ = r.Process.Kill()
		<-r.ended
		if said, err := command("-clean").CombinedOutput(); err != nil {
			t.Errorf("clean: %v: %s", err, said)
		}
		if t.Failed() {
			t.Logf("it said:\n%s", r.said)
		}
	})
	return r
}

// awaitWords waits until it has said so.
func (r *run) awaitWords(words string) {
	r.Helper()
	r.Await(fmt.Sprintf("it to say %q", words), func() bool {
		r.Helper()
		if strings.Contains(r.said.String(), words) {
			return true
		}
		select {
		case <-r.ended:
			r.Fatalf("ended without having said %q", words)
		default:
		}
		return false
	})
}

// enter runs a command as another terminal would.
func (r *run) enter(arguments ...string) string {
	r.Helper()
	entrance := regexp.MustCompile(`(?m)^  (/\S+/enter)$`).FindStringSubmatch(r.said.String())
	if entrance == nil {
		r.Fatal("does not say how to enter")
	}
	said, err := exec.Command(entrance[1], arguments...).Output()
	if failed, is := errors.AsType[*exec.ExitError](err); is {
		r.Fatalf("%v: %v: %s", arguments, err, failed.Stderr)
	}
	r.Check("enter", err)
	return string(said)
}

func (r *run) end(signal syscall.Signal, want int) {
	r.Helper()
	r.Check("signal", r.Process.Signal(signal))
	r.awaitEnd(want)
}

// awaitEnd waits for the end, and wants an exit code: -1 of what was killed.
func (r *run) awaitEnd(want int) {
	r.Helper()
	select {
	case <-r.ended:
	case <-time.After(showTimeout):
		r.Fatalf("has not ended within %s", showTimeout)
	}
	if got := r.ProcessState.ExitCode(); got != want {
		r.Errorf("exit code %d, want %d", got, want)
	}
}

// child is the first process inside.
func (r *run) child() int {
	r.Helper()
	lists, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", r.Process.Pid))
	r.Check("list threads", err)
	for _, list := range lists {
		content, err := os.ReadFile(list)
		r.Check("read children", err)
		var pid int
		if _, err := fmt.Sscan(string(content), &pid); err == nil {
			return pid
		}
	}
	r.Fatal("has no child")
	return 0
}

// inside is the process there in whose command line the words are, whose parts end with a zero byte.
func (r *run) inside(words string) int {
	r.Helper()
	own := fmt.Sprintf("berth-node-%d/", r.Process.Pid) // the folder of its files
	for _, file := range glob("/proc/[0-9]*/cmdline") {
		content, _ := os.ReadFile(file) // none: gone
		if !strings.Contains(string(content), own) || !strings.Contains(string(content), words) {
			continue
		}
		pid, err := strconv.Atoi(filepath.Base(filepath.Dir(file)))
		r.Check("read "+file, err)
		return pid
	}
	r.Fatalf("no process inside has %q in its command line", words)
	return 0
}
