package box

import (
	"bufio"
	"fmt"
	"os"
	"strconv"
	"strings"
)

// ticksPerSecond is the unit of times in /proc/PID/stat (USER_HZ), 100 on every Linux that runs Go.
const ticksPerSecond = 100

const kibPerMiB = 1024

// Usage is what the kernel says of a process.
type Usage struct {
	ResidentKiB int     `json:"residentKiB"`
	PeakKiB     int     `json:"peakKiB"` // the most that was resident since its start
	Threads     int     `json:"threads"`
	Files       int     `json:"files"`      // open descriptors
	CPUSeconds  float64 `json:"cpuSeconds"` // user and system, since its start
}

// ResidentMiB is the resident memory in MiB.
func (u Usage) ResidentMiB() float64 { return float64(u.ResidentKiB) / kibPerMiB }

// Usage is that of the latest start, which must not have ended.
func (p *Process) Usage() (Usage, error) {
	u, err := usageOf(p.Pid())
	if err != nil {
		return Usage{}, fmt.Errorf("%s has ended: %w", p.Name, err)
	}
	return u, nil
}

func usageOf(pid int) (Usage, error) {
	dir := fmt.Sprintf("/proc/%d/", pid)
	var u Usage
	status, err := readStatus(dir + "status")
	if err != nil {
		return u, err
	}
	u.ResidentKiB, u.PeakKiB = status["VmRSS"], status["VmHWM"]
	u.Threads = status["Threads"]
	files, err := os.ReadDir(dir + "fd")
	if err != nil {
		return u, err
	}
	u.Files = len(files)
	stat, err := os.ReadFile(dir + "stat")
	if err != nil {
		return u, err
	}
	u.CPUSeconds, err = cpuSeconds(string(stat))
	return u, err
}

// readStatus reads the lines of /proc/PID/status that are numbers, such as "VmRSS:   1234 kB".
func readStatus(path string) (map[string]int, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	values := map[string]int{}
	for lines := bufio.NewScanner(file); lines.Scan(); {
		name, rest, _ := strings.Cut(lines.Text(), ":")
		fields := strings.Fields(rest)
		if len(fields) == 0 {
			continue
		}
		if value, err := strconv.Atoi(fields[0]); err == nil {
			values[name] = value
		}
	}
	return values, nil
}

// cpuSeconds adds up utime and stime, fields 14 and 15 of /proc/PID/stat (proc(5)); the second, the
// program's name, may hold blanks and parentheses.
func cpuSeconds(stat string) (float64, error) {
	fields := strings.Fields(stat[strings.LastIndexByte(stat, ')')+1:])
	if len(fields) < 13 {
		return 0, fmt.Errorf("no times in %q", stat)
	}
	ticks := 0
	for _, field := range fields[11:13] {
		value, err := strconv.Atoi(field)
		if err != nil {
			return 0, err
		}
		ticks += value
	}
	return float64(ticks) / ticksPerSecond, nil
}
