package node

import (
	"os"
	"os/exec"
	"syscall"
	"testing"
	"time"

	"berth.dev/berth/tests/e2e/box"
)

// sleeper is a process of the test's, and a channel that is closed when it has ended.
func sleeper(t *testing.T, command ...string) (process, <-chan struct{}) {
	t.Helper()
	if len(command) == 0 {
		command = []string{"sleep", "60"}
	}
	child := exec.Command(command[0], command[1:]...)
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() {
		_ = child.Wait() // it is killed
		close(ended)
	}()
	t.Cleanup(func() {
		_ = child.Process.Kill()
		<-ended
	})
	p, err := processOf(child.Process.Pid)
	if err != nil {
		t.Fatal(err)
	}
	return p, ended
}

func TestProcessIsNoOtherOfItsPid(t *testing.T) {
	p, ended := sleeper(t)
	other := process{Pid: p.Pid, Started: p.Started + 1}
	if !p.alive() || other.alive() {
		t.Errorf("alive: %v, the other: %v", p.alive(), other.alive())
	}
	other.signal(syscall.SIGKILL)
	select {
	case <-ended:
		t.Error("the signal for another process has ended this one")
	case <-time.After(200 * time.Millisecond): // it would have in less
	}
	p.signal(syscall.SIGKILL)
	<-ended
	if p.alive() {
		t.Error("alive after its end")
	}
}

func TestProcessThatWaitsForItsParentHasEnded(t *testing.T) {
	child := exec.Command("true")
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	defer child.Wait()
	p, err := processOf(child.Process.Pid)
	if err != nil {
		t.Fatal(err)
	}
	if !box.HoldsWithin(killTimeout, func() bool { return !p.alive() }) {
		t.Error("alive although it has ended")
	}
}

// The name of a program may hold what separates fields.
func TestStartOfAProgramWithAnEvilName(t *testing.T) {
	program := shortFolder(t) + "/a) R 1 2"
	if err := os.Symlink("/bin/sleep", program); err != nil {
		t.Fatal(err)
	}
	evil, _ := sleeper(t, program, "60")
	self, err := processOf(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	if evil.Started < self.Started || !evil.alive() {
		t.Errorf("%+v, and this program %+v has started it", evil, self)
	}
}

func TestNoProcess(t *testing.T) {
	const none = 1 << 22 // the kernel's limit for pids
	if _, err := processOf(none); err == nil {
		t.Error("no error for a process that is not there")
	}
	gone := process{Pid: none}
	gone.signal(syscall.SIGKILL)
	if gone.alive() {
		t.Error("alive")
	}
}
