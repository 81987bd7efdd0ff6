package box

import (
	"os/exec"
	"runtime"
	"sync"
	"syscall"
)

type launch struct {
	cmd    *exec.Cmd
	result chan<- error
}

// launcher starts every process from one thread that lives as long as this program: the kernel
// sends a child its parent-death signal when the *thread* that forked it ends, and the Go runtime
// ends threads as it likes (https://go.dev/issue/27505).
var launcher = sync.OnceValue(func() chan<- launch {
	requests := make(chan launch)
	go func() {
		runtime.LockOSThread()
		for request := range requests {
			request.result <- request.cmd.Start()
		}
	}()
	return requests
})

// startChild starts cmd so that it dies with this program, however that ends, and does not hear
// the terminal's Ctrl-C, which is for the box to answer with an ordered stop.
// Thread-safe.
func startChild(cmd *exec.Cmd) error {
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL, Setpgid: true}
	result := make(chan error)
	launcher() <- launch{cmd: cmd, result: result}
	return <-result
}
