package node

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"syscall"
)

// process is one and no other: pids are used again, but not at the same time.
type process struct {
	Pid     int
	Started uint64 // clock ticks after boot
}

func processOf(pid int) (process, error) {
	_, started, err := readStat(pid)
	return process{Pid: pid, Started: started}, err
}

// alive is false of what has ended and waits for its parent to hear of it.
func (p process) alive() bool {
	state, started, err := readStat(p.Pid)
	return err == nil && started == p.Started && state != "Z" && state != "X"
}

// signal reaches this process or none.
func (p process) signal(signal syscall.Signal) {
	handle, err := os.FindProcess(p.Pid) // stays with whoever has the pid now
	if err != nil {
		return
	}
	defer handle.Release()
	if p.alive() {
		_ = handle.Signal(signal) // fails only when it has just ended
	}
}

// readStat reads state and start of a process (fields 3 and 22 of /proc/PID/stat, proc(5)).
func readStat(pid int) (state string, started uint64, err error) {
	content, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return "", 0, err
	}
	// The name, field 2, may hold anything, also brackets.
	fields := strings.Fields(string(content[strings.LastIndexByte(string(content), ')')+1:]))
	const first, stateField, startField = 3, 3, 22
	if len(fields) <= startField-first {
		return "", 0, fmt.Errorf("/proc/%d/stat has %d fields", pid, len(fields))
	}
	started, err = strconv.ParseUint(fields[startField-first], 10, 64)
	return fields[stateField-first], started, err
}
