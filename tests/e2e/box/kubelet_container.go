package box

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"

	corev1 "k8s.io/api/core/v1"
)

// Between an end and the next start; doubled each time. kubelet begins with ten seconds.
const (
	firstBackoff = 200 * time.Millisecond
	maxBackoff   = 5 * time.Second
)

// container is the program of a container of a pod. Thread-safe.
type container struct {
	spec    *corev1.Container
	pod     *pod
	restart corev1.RestartPolicy
	path    string

	stop sync.Once
	over chan containerEnd // at most one comes
	done chan struct{}     // closed when it has ended for good

	mu   sync.Mutex
	cmd  *exec.Cmd // of the latest start
	said containerState
}

// containerEnd says how a container is to end.
type containerEnd struct {
	deadline time.Time
	preStop  time.Duration
}

// containerState is what is to be reported of a container.
type containerState struct {
	begun, running, ready bool
	restarts              int32
	started, ended        time.Time
	exitCode              int32
}

func newContainer(p *pod, object *corev1.Pod, spec *corev1.Container) (*container, error) {
	path, err := p.kubelet.box.programOf(spec)
	return &container{spec: spec, pod: p, restart: object.Spec.RestartPolicy, path: path,
		over: make(chan containerEnd, 1), done: make(chan struct{})}, err
}

// programOf finds the program that command or image name.
func (b *Box) programOf(spec *corev1.Container) (string, error) {
	name, _, _ := strings.Cut(filepath.Base(spec.Image), ":")
	name, _, _ = strings.Cut(name, "@")
	if path := b.options.Images[name]; path != "" {
		return path, nil
	}
	if len(spec.Command) > 0 {
		name = filepath.Base(spec.Command[0])
	}
	if path := b.options.Images[name]; path != "" {
		return path, nil
	}
	if name == "berth" {
		return BerthBinary()
	}
	return Program(name)
}

// run runs the program, again and again as the pod's restartPolicy says, until it is told to end.
func (c *container) run() {
	defer close(c.done)
	for backoff := firstBackoff; ; backoff = min(2*backoff, maxBackoff) {
		exited, err := c.start()
		if err != nil {
			exited = neverStarted(err)
		}
		select {
		case err := <-exited:
			c.note(err)
		case end := <-c.over:
			c.note(c.terminate(exited, end))
			return
		}
		if c.restart == corev1.RestartPolicyNever ||
			c.restart == corev1.RestartPolicyOnFailure && c.state().exitCode == 0 {
			return
		}
		select {
		case <-time.After(backoff):
		case <-c.over:
			return
		}
	}
}

// start starts the program; its end comes through the channel.
func (c *container) start() (<-chan error, error) {
	log, err := os.OpenFile(c.logFile(), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, err
	}
	defer log.Close()
	words, environment := c.commandLine()
	cmd := exec.Command(c.path, words...)
	cmd.Env, cmd.Stdout, cmd.Stderr = environment, log, log
	if err := startChild(cmd); err != nil {
		return nil, err
	}
	c.mu.Lock()
	if c.said.begun {
		c.said.restarts++
	}
	c.cmd = cmd
	c.said.begun, c.said.running, c.said.started = true, true, time.Now()
	c.mu.Unlock()
	exited, probed := make(chan error, 1), make(chan struct{})
	go c.watchReadiness(probed)
	go func() {
		err := cmd.Wait()
		close(probed)
		exited <- err
	}()
	return exited, nil
}

// terminate ends the program as kubelet does: preStop, SIGTERM, and SIGKILL at the deadline.
func (c *container) terminate(exited <-chan error, end containerEnd) error {
	select {
	case err := <-exited:
		return err
	case <-time.After(min(end.preStop, time.Until(end.deadline))):
	}
	c.signal(syscall.SIGTERM)
	select {
	case err := <-exited:
		return err
	case <-time.After(time.Until(end.deadline)):
	}
	c.signal(syscall.SIGKILL)
	return <-exited
}

// end tells a container that was started to end and returns when it has.
func (c *container) end(deadline time.Time, preStop bool) {
	c.stop.Do(func() {
		end := containerEnd{deadline: deadline}
		if preStop {
			end.preStop = preStopOf(c.spec)
		}
		c.over <- end
	})
	<-c.done
}

// kill ends the program as kill -9 does.
func (c *container) kill() error {
	if !c.state().running {
		return fmt.Errorf("container %s of pod %s does not run", c.spec.Name, c.pod.name)
	}
	c.signal(syscall.SIGKILL)
	return nil
}

func (c *container) signal(signal syscall.Signal) {
	c.mu.Lock()
	defer c.mu.Unlock()
	_ = c.cmd.Process.Signal(signal) // fails only when the process has just ended
}

// note records the end of the program.
func (c *container) note(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.said.running, c.said.ready, c.said.ended = false, false, time.Now()
	c.said.exitCode = exitCodeOf(err)
}

// exitCodeOf is what kubelet would report.
func exitCodeOf(err error) int32 {
	var exit *exec.ExitError
	switch {
	case err == nil:
		return 0
	case !errors.As(err, &exit):
		return 128 // as runtimes say of what cannot be started
	}
	if status, ok := exit.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return 128 + int32(status.Signal())
	}
	return int32(exit.ExitCode())
}

func (c *container) state() containerState {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.said
}

func (c *container) setReady(ready bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.said.ready = ready && c.said.running
}

func (c *container) logFile() string { return filepath.Join(c.pod.dir, c.spec.Name+".log") }

// isOver tells whether the program has ended and will not be started again.
func (c *container) isOver() bool {
	select {
	case <-c.done:
		return true
	default:
		return false
	}
}

func neverStarted(err error) <-chan error {
	exited := make(chan error, 1)
	exited <- err
	return exited
}
