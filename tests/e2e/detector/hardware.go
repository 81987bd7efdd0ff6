package detector

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
)

// What the configuration space of a GPU starts with: that of one that answers, and that of one that
// has fallen off the bus.
const (
	answers = "\xde\x10\xb5\x20"
	gone    = "\xff\xff\xff\xff"
)

const (
	// FirstGPU and SecondGPU are addresses on the PCI bus.
	FirstGPU, SecondGPU = "0000:3b:00.0", "0000:86:00.0"
	// Hanging is a script that neither answers nor ends at SIGTERM.
	Hanging = "trap '' TERM; sleep 300; sleep 300"

	mount = "/mnt/data"
)

// Hardware is a node as probes see it, in a folder. What a function writes is replaced at once, so
// that nobody reads a part of it.
type Hardware struct {
	// Root has the node's sys, proc and nvidia-smi.
	Root string
}

// AddGPU adds a GPU that answers, with all 16 lanes of its link.
func (h Hardware) AddGPU(address string) error {
	return errors.Join(h.write(device(address)+"/vendor", "0x10de\n"),
		h.write(device(address)+"/class", "0x030200\n"),
		h.write(device(address)+"/max_link_width", "16\n"),
		h.SetLanes(address, 16), h.SetAnswering(address, true))
}

// SetAnswering has the GPU answer on the PCI bus, or not.
func (h Hardware) SetAnswering(address string, well bool) error {
	content := answers
	if !well {
		content = strings.Repeat(gone, 16)
	}
	return h.write(device(address)+"/config", content)
}

// SetLanes has the GPU's link use so many lanes.
func (h Hardware) SetLanes(address string, lanes int) error {
	return h.write(device(address)+"/current_link_width", fmt.Sprintf("%d\n", lanes))
}

// SetMemory has nvidia-smi list both GPUs, and say of the second whether pages are pending or rows
// could not be remapped: "Yes" or "No".
func (h Hardware) SetMemory(pending, failure string) error {
	line := func(value string) string {
		return fmt.Sprintf("echo 00000000:3B:00.0, No; echo 00000000:86:00.0, %s", value)
	}
	return h.SetNvidiaSMI(fmt.Sprintf(`case "$*" in
*pending*) %s ;;
*failure*) %s ;;
*) echo 00000000:3B:00.0; echo 00000000:86:00.0 ;;
esac`, line(pending), line(failure)))
}

// SetNvidiaSMI has a shell script answer in place of nvidia-smi.
func (h Hardware) SetNvidiaSMI(script string) error {
	return h.write("nvidia-smi", "#!/bin/sh\n"+script+"\n")
}

// NvidiaSMI is the path of what answers in its place.
func (h Hardware) NvidiaSMI() string { return filepath.Join(h.Root, "nvidia-smi") }

// SetNIC makes a network interface that is switched on, with a carrier or without.
func (h Hardware) SetNIC(name string, up bool) error {
	folder, carrier := "sys/class/net/"+name, "0\n"
	if up {
		carrier = "1\n"
	}
	return errors.Join(h.write(folder+"/flags", "0x1003\n"), h.write(folder+"/carrier", carrier),
		h.write(folder+"/device/vendor", "0x15b3\n"))
}

// SetPort makes a device of InfiniBand with one port that is switched on, active or down.
func (h Hardware) SetPort(device string, up bool) error {
	folder, state, physical := "sys/class/infiniband/"+device+"/ports/1", "1: DOWN\n", "2: Polling\n"
	if up {
		state, physical = "4: ACTIVE\n", "5: LinkUp\n"
	}
	return errors.Join(h.write(folder+"/state", state), h.write(folder+"/phys_state", physical))
}

// SetMount mounts NFS in the node's first process, as /proc tells it. One that is not well answers
// statfs() with an error that is none of the caller's rights.
func (h Hardware) SetMount(well bool) error {
	folder := filepath.Join(h.Root, "proc/1/root"+mount)
	if err := errors.Join(h.write("proc/1/mounts", "server:/data "+mount+" nfs4 rw,hard 0 0\n"),
		os.RemoveAll(folder)); err != nil {
		return err
	}
	if well {
		return os.MkdirAll(folder, 0o755)
	}
	if err := os.MkdirAll(filepath.Dir(folder), 0o755); err != nil {
		return err
	}
	return os.Symlink(filepath.Base(folder), folder) // too many levels
}

// Boot gives the node the clock of this machine, and none of its processes.
func (h Hardware) Boot() error {
	if err := os.MkdirAll(filepath.Join(h.Root, "proc"), 0o755); err != nil {
		return err
	}
	return os.Symlink("/proc/uptime", filepath.Join(h.Root, "proc/uptime"))
}

// Hang starts a process of the node that waits in state D, for real: whoever starts a program by
// vfork() waits so until that program has its files open, and opening a FIFO takes as long as nobody
// writes to it. The process ends when release is called, which may be more than once.
func (h Hardware) Hang() (release func(), err error) {
	python, err := exec.LookPath("python3")
	if err != nil {
		return nil, err
	}
	fifo := filepath.Join(h.Root, "fifo")
	if err := syscall.Mkfifo(fifo, 0o600); err != nil {
		return nil, err
	}
	hung := exec.Command(python, "-c", `import os, sys
os.posix_spawn("/bin/true", ["true"], os.environ,
               file_actions=[(os.POSIX_SPAWN_OPEN, 0, sys.argv[1], os.O_RDONLY, 0)])`, fifo)
	if err := hung.Start(); err != nil {
		return nil, err
	}
	release = sync.OnceFunc(func() {
		if writer, err := os.OpenFile(fifo, os.O_WRONLY|syscall.O_NONBLOCK, 0); err == nil {
			writer.Close()
		}
		_ = hung.Process.Kill()
		_ = hung.Wait()
		_ = os.Remove(fifo)
	})
	here := fmt.Sprintf("/proc/%d", hung.Process.Pid)
	if err := os.Symlink(here, filepath.Join(h.Root, here)); err != nil {
		release()
		return nil, err
	}
	return release, nil
}

func device(address string) string { return "sys/bus/pci/devices/" + address }

// write replaces a file below the root, and makes its folder.
func (h Hardware) write(path, content string) error {
	path = filepath.Join(h.Root, path)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	if err := os.WriteFile(path+".new", []byte(content), 0o755); err != nil {
		return err
	}
	return os.Rename(path+".new", path)
}
