package main

import (
	"context"
	"fmt"
	"os"
	"regexp"
	"runtime"
	"strconv"

	"berth.dev/berth/tests/e2e/box"
)

// machine is where everything ran, the load beside the control plane.
type machine struct {
	CPU       string            `json:"cpu"`
	CPUs      int               `json:"cpus"`
	MemoryGiB int               `json:"memoryGiB"`
	System    string            `json:"system"`
	Versions  map[string]string `json:"versions"`
}

func thisMachine(ctx context.Context) (machine, error) {
	m := machine{
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
		if m.Versions[name], err = box.Version(ctx, name); err != nil {
			return machine{}, err
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

func (m machine) String() string {
	return fmt.Sprintf("%d CPUs (%s), %d GiB, %s; %s; %s", m.CPUs, m.CPU, m.MemoryGiB, m.System,
		m.Versions["kube-scheduler"], m.Versions["berth"])
}
