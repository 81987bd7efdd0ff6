//go:build cluster

package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"berth.dev/berth/tests/e2e/node"
)

// lookTimeout is for others: their processes come and go, too.
const lookTimeout = 20 * time.Second

// machine is what a run could leave something in: a list for each place.
type machine struct {
	*testing.T
	before map[string][]string
}

var places = map[string]func() []string{
	"processes": func() []string { return with("berth-node-", contents("/proc/[0-9]*/cmdline")) },
	"networks":  func() []string { return links("/proc/[0-9]*/ns/net") },
	"mounts":    func() []string { return with("berth-node-", contents("/proc/self/mounts")) },
	"cgroups":   func() []string { return glob("/sys/fs/cgroup/kubepods", "/sys/fs/cgroup/*/kubepods") },
	"files": func() []string {
		return glob(filepath.Join(os.TempDir(), "berth-node-*"), "/run/berth-node*", "/run/netns/*",
			"/run/containerd/*/*", "/var/lib/cni/*", "/var/lib/kubelet/*", "/var/log/containers/*",
			"/var/lib/cni", "/var/lib/kubelet", "/var/log/containers", "/opt/containerd")
	},
	"settings of the kernel": func() []string {
		return contents("/proc/sys/vm/overcommit_memory", "/proc/sys/vm/panic_on_oom",
			"/proc/sys/kernel/panic", "/proc/sys/kernel/panic_on_oops", "/proc/sys/kernel/keys/root_max*")
	},
	"interfaces": func() []string { return glob("/sys/class/net/*") },
}

// here skips the test where there can be no node.
func here(t *testing.T) *machine {
	t.Helper()
	if missing := node.Missing(); missing != "" {
		t.Skip(missing)
	}
	m := &machine{T: t, before: map[string][]string{}}
	for name, list := range places {
		m.before[name] = list()
	}
	return m
}

// compare wants all to be as it was.
func (m *machine) compare() {
	m.Helper()
	for name := range places {
		m.comparePlace(name)
	}
}

func (m *machine) compareProcesses() {
	m.Helper()
	m.comparePlace("processes")
	m.comparePlace("networks")
}

func (m *machine) comparePlace(name string) {
	m.Helper()
	var left []string
	for deadline := time.Now().Add(lookTimeout); ; time.Sleep(100 * time.Millisecond) {
		left = slices.DeleteFunc(places[name](), func(one string) bool {
			return slices.Contains(m.before[name], one)
		})
		if len(left) == 0 {
			return
		}
		if time.Now().After(deadline) {
			m.Errorf("%s are left: %v", name, left)
			return
		}
	}
}

func glob(patterns ...string) []string {
	var all []string
	for _, pattern := range patterns {
		found, _ := filepath.Glob(pattern) // well-formed
		all = append(all, found...)
	}
	return all
}

// contents are the files' names with what is in them.
func contents(patterns ...string) []string {
	var all []string
	for _, file := range glob(patterns...) {
		if content, err := os.ReadFile(file); err == nil { // else gone
			all = append(all, file+": "+string(content))
		}
	}
	return all
}

// links are where the links lead to, each once.
func links(patterns ...string) []string {
	var all []string
	for _, file := range glob(patterns...) {
		if target, err := os.Readlink(file); err == nil { // else gone
			all = append(all, target)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

func with(word string, all []string) []string {
	return slices.DeleteFunc(all, func(one string) bool { return !strings.Contains(one, word) })
}
