package node

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// machine is what a node needs where it runs, and leaves there when it is killed.
type machine struct {
	user        int
	record      string   // file, see record; there is one because kubelet's cgroups are there once
	cgroups     string   // where they are mounted
	mountPoints []string // that have to be there
	look        func(command string) (string, error)
	namespaces  func() error  // tries them
	grace       time.Duration // for a run to end in order
	patience    time.Duration // with cgroups, which go a moment after their last process
}

var thisMachine = machine{
	user: os.Geteuid(), record: "/run/berth-node.json", cgroups: "/sys/fs/cgroup",
	mountPoints: mountPoints, look: exec.LookPath, namespaces: tryNamespaces,
	grace: time.Minute, patience: 5 * time.Second,
}

// packageOf names Debian's package for each command that is needed.
var packageOf = map[string]string{
	"conntrack": "conntrack", "ip": "iproute2", "nft": "nftables", "runc": "runc",
	"nsenter": "util-linux", pluginFolder + "/bridge": "containernetworking-plugins",
}

// controllers are those of cgroups without which kubelet does not start
// (validateSystemRequirements in pkg/kubelet/cm/container_manager_linux.go, 1.36.3).
var controllers = []string{"cpu", "cpuset", "memory"}

// Missing says why no node can run here, and what to do about it; "" where one can.
func Missing() string { return thisMachine.missing() }

func (m *machine) missing() string {
	if m.user != 0 {
		return "a real node needs root, for namespaces, mounts and cgroups: run it as root"
	}
	if packages := m.missingPackages(); len(packages) > 0 {
		return "a real node needs Debian packages: apt-get install --no-install-recommends " +
			strings.Join(packages, " ")
	}
	if lacking := m.missingControllers(); len(lacking) > 0 {
		return fmt.Sprintf("%s has no controller %s, without which kubelet starts no pod: mount it or, "+
			"in a container, let that see the machine's (docker run --privileged --cgroupns host)",
			m.cgroups, strings.Join(lacking, ", "))
	}
	if err := m.namespaces(); err != nil {
		return fmt.Sprintf("no namespaces for a real node: %v; in a container they need "+
			"docker run --privileged", err)
	}
	return ""
}

func (m *machine) missingPackages() []string {
	var packages []string
	for command, name := range packageOf {
		if _, err := m.look(command); err != nil {
			packages = append(packages, name)
		}
	}
	slices.Sort(packages)
	return packages
}

// missingControllers looks for the folder of each, as in version 1 of cgroups, and in the list of
// version 2.
func (m *machine) missingControllers() []string {
	second, _ := os.ReadFile(filepath.Join(m.cgroups, "cgroup.controllers")) // none: version 1
	there := strings.Fields(string(second))
	var lacking []string
	for _, name := range controllers {
		_, err := os.Stat(filepath.Join(m.cgroups, name))
		if err != nil && !slices.Contains(there, name) {
			lacking = append(lacking, name)
		}
	}
	return lacking
}

func tryNamespaces() error {
	try := exec.Command("true")
	try.SysProcAttr = namespaces()
	try.SysProcAttr.Pdeathsig = 0 // for that the thread would have to last
	return try.Run()
}

// podCgroups are the folders in which kubelet keeps pods, one for each hierarchy.
func (m *machine) podCgroups() []string {
	first, _ := filepath.Glob(filepath.Join(m.cgroups, "*", "kubepods")) // well-formed
	second, _ := filepath.Glob(filepath.Join(m.cgroups, "kubepods"))
	return append(first, second...)
}

func podCgroups() []string { return thisMachine.podCgroups() }
