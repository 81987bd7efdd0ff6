package main

import (
	"fmt"
	"syscall"
)

// hang waits in state D, as whoever waits for a broken disk does: who has started a child by vfork()
// waits so until that one runs a program or ends. This child does neither. It has memory of its own,
// unlike that of vfork(), and waits in the kernel: it lacks most of what Go's runtime needs.
func hang() error {
	fmt.Println("hangs")
	child, _, failed := syscall.RawSyscall(syscall.SYS_CLONE,
		syscall.CLONE_VFORK|uintptr(syscall.SIGCHLD), 0, 0)
	if failed != 0 {
		return failed
	}
	for child == 0 {
		syscall.RawSyscall(syscall.SYS_PPOLL, 0, 0, 0)
	}
	fmt.Println("goes on")
	return nil
}
