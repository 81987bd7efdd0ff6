// Package node runs a real node beside a box: kubelet, containerd, kube-proxy and CoreDNS. All of
// it, the box too, has a network, mounts and processes of its own, of which nothing is left when it
// ends.
package node

import (
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"syscall"
)

const (
	insideVariable = "BERTH_E2E_INSIDE"
	// In the record's folder, beside boxes:
	kubectlCache = "kubectl"
	entranceName = "enter"

	firstGiven = 3 // descriptor; those before it are standard input, output and error
)

// Inside tells whether this program runs where Enter has brought it.
func Inside() bool { return os.Getenv(insideVariable) != "" }

// Enter runs this program once more, in namespaces of its own, and returns its exit code. Afterwards
// nothing of it is left but logs that it wanted to be kept. When this program is killed, so are all
// of those; what they leave Clean removes. The program inside gets the listeners, see Given, and this
// one closes them.
func Enter(listeners ...*net.TCPListener) (int, error) {
	r, err := thisMachine.begin()
	if err != nil {
		return 1, err
	}
	state, err := r.enter(listeners)
	keep := state != nil && state.Exited() && !state.Success()
	_, left := thisMachine.sweep(r, keep)
	err = errors.Join(err, left)
	if state == nil {
		return 1, err
	}
	if !state.Exited() {
		return 1, errors.Join(fmt.Errorf("the first process inside ended by %s", state), err)
	}
	return state.ExitCode(), err
}

// Given is one of the listeners that Enter was given, by its place among them. A socket stays in the
// network in which it was made, so who connects there reaches the program inside. To be called once
// for each, before this program starts any other, which would have the listener as well.
func Given(place int) (net.Listener, error) {
	file := os.NewFile(uintptr(firstGiven+place), "listener from outside")
	defer file.Close() // the listener has a descriptor of its own
	return net.FileListener(file)
}

// enter returns when the program inside has ended. Signals that ask it to are passed on; those of
// the terminal do not reach what it runs.
func (r *record) enter(listeners []*net.TCPListener) (*os.ProcessState, error) {
	command, err := r.command()
	if err != nil {
		return nil, err
	}
	// Here nobody accepts: who connects after the end of the program inside has to be refused.
	handOver, err := give(command, listeners)
	defer handOver()
	if err != nil {
		return nil, err
	}
	asked := make(chan os.Signal, 1) // for good: what is to be removed afterwards will be
	signal.Notify(asked, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	runtime.LockOSThread() // the kernel kills the child with the thread that has started it
	defer runtime.UnlockOSThread()
	if err := command.Start(); err != nil {
		return nil, err
	}
	handOver()
	ended := make(chan struct{})
	defer close(ended)
	go passOn(asked, command.Process, ended)
	err = r.add(command.Process.Pid)
	if err != nil {
		_ = command.Process.Kill() // the kernel kills the others with it
	}
	if wait := command.Wait(); err == nil && command.ProcessState == nil {
		err = wait
	}
	return command.ProcessState, err
}

// command is this program inside.
func (r *record) command() (*exec.Cmd, error) {
	program, err := os.Executable()
	if err != nil {
		return nil, err
	}
	command := exec.Command(program, os.Args[1:]...)
	command.Stdin, command.Stdout, command.Stderr = os.Stdin, os.Stdout, os.Stderr
	command.Env = append(os.Environ(), insideVariable+"=1", "TMPDIR="+r.Folder,
		"KUBECACHEDIR="+filepath.Join(r.Folder, kubectlCache))
	command.SysProcAttr = namespaces()
	command.SysProcAttr.Setpgid = true
	return command, nil
}

// give has the command inherit the listeners when it is started. What it returns closes them here, and
// may be called again.
func give(command *exec.Cmd, listeners []*net.TCPListener) (handOver func(), err error) {
	handOver = func() {
		for _, file := range command.ExtraFiles {
			_ = file.Close()
		}
		for _, listener := range listeners {
			_ = listener.Close()
		}
	}
	for _, listener := range listeners {
		file, err := listener.File()
		if err != nil {
			return handOver, err
		}
		command.ExtraFiles = append(command.ExtraFiles, file)
	}
	return handOver, nil
}

func passOn(asked <-chan os.Signal, to *os.Process, ended <-chan struct{}) {
	for {
		select {
		case signal := <-asked:
			_ = to.Signal(signal) // fails only when it has just ended
		case <-ended:
			return
		}
	}
}

// namespaces give a child a network, mounts and processes of its own; the latter end with the child,
// and that with this program.
func namespaces() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{
		Cloneflags:   syscall.CLONE_NEWPID,
		Unshareflags: syscall.CLONE_NEWNET | syscall.CLONE_NEWNS, // mounts are private, too
		Pdeathsig:    syscall.SIGKILL,
	}
}
