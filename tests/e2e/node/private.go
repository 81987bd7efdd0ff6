package node

import (
	"fmt"
	"os"
	"path/filepath"
	"syscall"
)

// runFolder is where containerd, its shims, runc and the network's plugins keep what runs.
const runFolder = "/run"

const procFlags = syscall.MS_NOSUID | syscall.MS_NODEV | syscall.MS_NOEXEC

// mountPoints are folders that kubelet and the network's plugins write to whatever one tells them.
var mountPoints = []string{"/var/lib/cni", "/var/lib/kubelet", "/var/log/containers"}

// tunables are what kubelet sets of the whole machine's kernel: overcommit, no panic for lack of
// memory, but a restart after every other (setupKernelTunables in
// pkg/kubelet/cm/container_manager_linux.go, 1.36.3).
var tunables = map[string]string{
	"vm/overcommit_memory":      "1",
	"vm/panic_on_oom":           "0",
	"kernel/panic":              "10",
	"kernel/panic_on_oops":      "1",
	"kernel/keys/root_maxkeys":  "1000000",
	"kernel/keys/root_maxbytes": "25000000",
}

// hideMachine mounts empty folders over those of the machine that would be written to, and /proc as
// the processes inside see it.
func hideMachine() error {
	for _, folder := range append([]string{runFolder}, mountPoints...) {
		if err := syscall.Mount("tmpfs", folder, "tmpfs", 0, "mode=755"); err != nil {
			return fmt.Errorf("mount %s: %w", folder, err)
		}
	}
	if err := syscall.Mount("proc", "/proc", "proc", procFlags, ""); err != nil {
		return fmt.Errorf("mount /proc: %w", err)
	}
	return nil
}

// fixTunables has kubelet find what it would set, in files in the place of the kernel's.
func fixTunables() error {
	folder := filepath.Join(runFolder, "tunables")
	if err := os.Mkdir(folder, 0o755); err != nil {
		return err
	}
	for name, value := range tunables {
		file := filepath.Join(folder, filepath.Base(name))
		if err := os.WriteFile(file, []byte(value+"\n"), 0o644); err != nil {
			return err
		}
		target := filepath.Join("/proc/sys", name)
		if err := syscall.Mount(file, target, "", syscall.MS_BIND, ""); err != nil {
			return fmt.Errorf("mount %s: %w", target, err)
		}
	}
	return nil
}
