package box

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"sync"
	"syscall"
	"time"
)

const (
	readyTimeout  = 2 * time.Minute
	readyInterval = 50 * time.Millisecond
	stopGrace     = 8 * time.Second // then SIGKILL: all that the box writes is thrown away
	logTailLines  = 15
)

// Process is one program of the box. It can be stopped or killed, and started again with the same
// arguments, hence on the same port. Thread-safe.
type Process struct {
	Name    string
	LogFile string // standard output and error of every start, appended

	path  string
	args  []string
	env   []string                    // beside this program's own
	ready func(context.Context) error // nil answer: serving

	mu     sync.Mutex
	cmd    *exec.Cmd
	exited chan struct{} // closed when cmd has ended
	status error         // valid once exited is closed
}

// Start runs the program and returns when it serves. When it does not within two minutes, or ends
// before, the error carries the end of its log, and nothing is left running.
func (p *Process) Start(ctx context.Context) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.runningLocked() {
		return fmt.Errorf("%s runs already", p.Name)
	}
	if err := p.launchLocked(); err != nil {
		return fmt.Errorf("start %s: %w", p.Name, err)
	}
	if err := p.awaitReadyLocked(ctx); err != nil {
		p.endLocked(syscall.SIGKILL)
		return fmt.Errorf("start %s: %w\n%s", p.Name, err, tail(p.LogFile, logTailLines))
	}
	return nil
}

// Stop asks the program to end, and kills it when it has not within the grace time.
// Stopping what does not run is no error.
func (p *Process) Stop() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.endLocked(syscall.SIGTERM)
}

// Kill ends the program as kill -9 does and waits until it is gone.
func (p *Process) Kill() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.endLocked(syscall.SIGKILL)
}

// Running tells whether the program has been started and has not ended.
func (p *Process) Running() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.runningLocked()
}

// Ended is closed when the program has ended; nil before the first start.
func (p *Process) Ended() <-chan struct{} {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.exited
}

// LastWords are the end of its log.
func (p *Process) LastWords() string { return tail(p.LogFile, logTailLines) }

// Pid is the process id of the latest start, 0 before the first.
func (p *Process) Pid() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.cmd == nil {
		return 0
	}
	return p.cmd.Process.Pid
}

func (p *Process) launchLocked() error {
	log, err := os.OpenFile(p.LogFile, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer log.Close()
	cmd := exec.Command(p.path, p.args...)
	cmd.Stdout, cmd.Stderr = log, log
	cmd.Env = append(os.Environ(), p.env...)
	if err := startChild(cmd); err != nil {
		return err
	}
	exited := make(chan struct{})
	p.cmd, p.exited = cmd, exited
	go func() {
		p.status = cmd.Wait()
		close(exited)
	}()
	return nil
}

func (p *Process) awaitReadyLocked(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, readyTimeout)
	defer cancel()
	ticker := time.NewTicker(readyInterval)
	defer ticker.Stop()
	for {
		err := p.ready(ctx)
		if err == nil {
			return nil
		}
		select {
		case <-p.exited:
			return fmt.Errorf("ended before it was ready: %w", errors.Join(p.status, err))
		case <-ctx.Done():
			return fmt.Errorf("not ready: %w (%w)", err, context.Cause(ctx))
		case <-ticker.C:
		}
	}
}

func (p *Process) runningLocked() bool {
	if p.cmd == nil {
		return false
	}
	select {
	case <-p.exited:
		return false
	default:
		return true
	}
}

func (p *Process) endLocked(signal syscall.Signal) {
	if !p.runningLocked() {
		return
	}
	_ = p.cmd.Process.Signal(signal) // fails only when the process has just ended
	select {
	case <-p.exited:
	case <-time.After(stopGrace):
		_ = p.cmd.Process.Kill()
		<-p.exited
	}
}
