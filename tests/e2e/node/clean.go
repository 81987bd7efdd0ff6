package node

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"time"

	"berth.dev/berth/tests/e2e/box"
)

const killTimeout = 20 * time.Second // of the kernel

// Clean ends a run that Enter began, if there is one, and removes what it has left. It says to out
// what that was.
func Clean(out io.Writer) error { return thisMachine.clean(out) }

func (m *machine) clean(out io.Writer) error {
	if m.user != 0 {
		return errors.New("a real node is root's, and so is what it leaves: run it as root")
	}
	r, err := readRecord(m.record)
	if errors.Is(err, fs.ErrNotExist) {
		fmt.Fprintln(out, "nothing to clean: no real node runs here or was left")
		return nil
	}
	if err != nil {
		fmt.Fprintf(out, "%v; see whether %s* is left\n", err,
			filepath.Join(os.TempDir(), folderPrefix))
		r = &record{file: m.record}
	}
	if err := r.stop(out, m.grace); err != nil {
		return err
	}
	removed, err := m.sweep(r, false)
	for _, path := range removed {
		fmt.Fprintln(out, "removed", path)
	}
	if err != nil {
		return err
	}
	fmt.Fprintln(out, "clean")
	return nil
}

// stop ends the processes, in order if they do that within the grace time.
func (r *record) stop(out io.Writer, grace time.Duration) error {
	living := r.living()
	if len(living) == 0 {
		return nil
	}
	living[0].signal(syscall.SIGTERM)
	if !box.HoldsWithin(grace, func() bool { return len(r.living()) == 0 }) {
		for _, p := range slices.Backward(r.living()) {
			p.signal(syscall.SIGKILL)
		}
		if !box.HoldsWithin(killTimeout, func() bool { return len(r.living()) == 0 }) {
			return fmt.Errorf("processes %v do not end, not even killed: see what they wait for in "+
				"/proc/PID/stack", r.living())
		}
	}
	for _, p := range living {
		fmt.Fprintf(out, "ended process %d\n", p.Pid)
	}
	return nil
}

// sweep removes what a run has left outside of its namespaces whose processes have all ended. It
// returns the paths of what was there.
func (m *machine) sweep(r *record, keepLogs bool) (removed []string, err error) {
	for _, root := range m.podCgroups() {
		if !box.HoldsWithin(m.patience, func() bool { return removeCgroup(root) }) {
			return removed, fmt.Errorf("%s cannot be removed: somebody else's processes are in it, see "+
				"cgroup.procs in its folders", root)
		}
		removed = append(removed, root)
	}
	if _, missing := os.Stat(r.Folder); missing == nil {
		removed = append(removed, r.Folder)
	}
	return removed, r.remove(keepLogs)
}

// removeCgroup tells whether all is gone: the deepest folders go first.
func removeCgroup(root string) bool {
	var folders []string
	_ = filepath.WalkDir(root, func(path string, entry os.DirEntry, err error) error {
		if err == nil && entry.IsDir() {
			folders = append(folders, path)
		}
		return nil
	})
	gone := true
	for _, folder := range slices.Backward(folders) {
		err := os.Remove(folder)
		gone = gone && (err == nil || errors.Is(err, fs.ErrNotExist))
	}
	return gone
}
