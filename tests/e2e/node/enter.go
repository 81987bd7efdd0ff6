// Package node runs a real node beside a box: kubelet, containerd, kube-proxy and CoreDNS. All of
// it, the box too, has a network, mounts and processes of its own, of which nothing is left when it
// ends.
package node

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
)

const insideVariable = "BERTH_E2E_INSIDE"

// packageOf names Debian's package for each command that is needed.
var packageOf = map[string]string{
	"conntrack": "conntrack", "ip": "iproute2", "nft": "nftables", "runc": "runc",
	"unshare": "util-linux", pluginFolder + "/bridge": "containernetworking-plugins",
}

// unshareArguments give what is run a network, mounts and processes of its own. Whatever is left of
// those processes the kernel kills with the first of them.
var unshareArguments = []string{
	"--net", "--mount", "--propagation", "private", "--pid", "--fork", "--mount-proc", "--kill-child",
}

// Missing says why no node can run here, and what to do about it; "" where one can.
func Missing() string {
	if os.Geteuid() != 0 {
		return "a real node needs root"
	}
	var packages []string
	for command, name := range packageOf {
		if _, err := exec.LookPath(command); err != nil {
			packages = append(packages, name)
		}
	}
	if len(packages) > 0 {
		slices.Sort(packages)
		return "a real node needs Debian packages: apt-get install --no-install-recommends " +
			strings.Join(packages, " ")
	}
	if !hasMemoryController() {
		return "/sys/fs/cgroup has no memory controller, without which kubelet starts no pod"
	}
	try := exec.Command("unshare", append(unshareArguments, "true")...)
	if said, err := try.CombinedOutput(); err != nil {
		return fmt.Sprintf("no namespaces for a real node: unshare: %v: %s", err, said)
	}
	return ""
}

func hasMemoryController() bool {
	if _, err := os.Stat("/sys/fs/cgroup/memory"); err == nil {
		return true
	}
	second, _ := os.ReadFile("/sys/fs/cgroup/cgroup.controllers") // none: of neither version
	return slices.Contains(strings.Fields(string(second)), "memory")
}

// Inside tells whether this program runs where Enter has brought it.
func Inside() bool { return os.Getenv(insideVariable) != "" }

// Enter runs this program once more, in namespaces of its own, and returns its exit code.
func Enter() (int, error) {
	if left := podCgroups(); len(left) > 0 {
		return 1, fmt.Errorf("pods run here, or an earlier run has left their cgroups; where no kubelet "+
			"runs: find %s -depth -type d -exec rmdir {} +", strings.Join(left, " "))
	}
	program, err := os.Executable()
	if err != nil {
		return 1, err
	}
	arguments := slices.Concat(unshareArguments, []string{program}, os.Args[1:])
	command := exec.Command("unshare", arguments...)
	command.Stdin, command.Stdout, command.Stderr = os.Stdin, os.Stdout, os.Stderr
	command.Env = append(os.Environ(), insideVariable+"=1")
	// Ctrl-C is for that one to answer; this one tidies up afterwards.
	signal.Notify(make(chan os.Signal, 1), os.Interrupt, syscall.SIGTERM)
	err = command.Run()
	removeCgroups()
	if _, ended := errors.AsType[*exec.ExitError](err); ended {
		return command.ProcessState.ExitCode(), nil
	}
	return command.ProcessState.ExitCode(), err
}

// podCgroups are the folders in which kubelet keeps pods, one for each hierarchy.
func podCgroups() []string {
	first, _ := filepath.Glob("/sys/fs/cgroup/*/kubepods") // the pattern is well-formed
	second, _ := filepath.Glob("/sys/fs/cgroup/kubepods")
	return append(first, second...)
}

// removeCgroups is for when nothing runs in them any more. The deepest go first.
func removeCgroups() {
	for _, root := range podCgroups() {
		var folders []string
		_ = filepath.WalkDir(root, func(path string, entry os.DirEntry, err error) error {
			if err == nil && entry.IsDir() {
				folders = append(folders, path)
			}
			return nil
		})
		for _, folder := range slices.Backward(folders) {
			_ = os.Remove(folder) // what is still in use is named by the next run
		}
	}
}
