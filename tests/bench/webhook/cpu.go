package main

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"
)

// clockTicks a second are the unit of /proc/PID/stat on every Linux that Go runs on
// (proc_pid_stat(5), getconf CLK_TCK).
const clockTicks = 100

// cpuTime is what a process has used so far, in user and kernel mode.
func cpuTime(pid int) (time.Duration, error) {
	path := fmt.Sprintf("/proc/%d/stat", pid)
	content, err := os.ReadFile(path)
	if err != nil {
		return 0, err
	}
	return parseCPUTime(string(content))
}

func parseCPUTime(stat string) (time.Duration, error) {
	_, rest, found := strings.Cut(stat, ") ") // the name before may have blanks
	fields := strings.Fields(rest)
	if !found || len(fields) < 13 {
		return 0, fmt.Errorf("not of the form of proc_pid_stat(5): %q", stat)
	}
	user, err := strconv.Atoi(fields[11])
	if err != nil {
		return 0, err
	}
	kernel, err := strconv.Atoi(fields[12])
	return time.Duration(user+kernel) * time.Second / clockTicks, err
}
