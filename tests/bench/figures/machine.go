// Package figures is what measurements share: the turns of those who are compared, the machine that
// they ran on, tables in Markdown, and files.
package figures

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"regexp"
	"runtime"
	"strconv"

	"berth.dev/berth/tests/e2e/box"
)

// Machine is where everything ran, the load beside the control plane.
type Machine struct {
	CPU       string            `json:"cpu"`
	CPUs      int               `json:"cpus"`
	MemoryGiB int               `json:"memoryGiB"`
	System    string            `json:"system"`
	Versions  map[string]string `json:"versions"`
}

// ThisMachine is the one that this program runs on.
func ThisMachine(ctx context.Context) (Machine, error) { return ThisMachineWith(ctx, nil) }

// ThisMachineWith is the same where some programs replace others, as box.Options has it.
func ThisMachineWith(ctx context.Context, programs map[string]string) (Machine, error) {
	m := Machine{
		CPU:    firstMatch("/proc/cpuinfo", `(?m)^model name\s*: (.*)$`),
		CPUs:   runtime.NumCPU(),
		System: firstMatch("/etc/os-release", `(?m)^PRETTY_NAME="(.*)"$`) + ", " + runtime.Version(),

		Versions: map[string]string{},
	}
	memory := firstMatch("/proc/meminfo", `(?m)^MemTotal:\s*(\d+) kB$`)
	if kib, err := strconv.Atoi(memory); err == nil {
		m.MemoryGiB = kib >> 20
	}
	for _, name := range []string{"etcd", "kube-apiserver", "kube-scheduler", "berth"} {
		var err error
		if m.Versions[name], err = box.Version(ctx, cmp.Or(programs[name], name)); err != nil {
			return Machine{}, err
		}
	}
	return m, nil
}

// firstMatch is what the pattern's group matches in a file, "unknown" if nothing does.
func firstMatch(path, pattern string) string {
	content, err := os.ReadFile(path)
	if err != nil {
		return "unknown"
	}
	match := regexp.MustCompile(pattern).FindSubmatch(content)
	if match == nil {
		return "unknown"
	}
	return string(match[1])
}

func (m Machine) String() string {
	return fmt.Sprintf("%d CPUs (%s), %d GiB, %s; %s; %s", m.CPUs, m.CPU, m.MemoryGiB, m.System,
		m.Versions["kube-scheduler"], m.Versions["berth"])
}
