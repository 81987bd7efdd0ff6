package node

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// longestFolder leaves room for the names of sockets in it, of which the kernel takes 107 bytes.
const longestFolder = 46

const folderPrefix = "berth-node-"

// record is what there is of a run outside of its namespaces, written down before it is made.
type record struct {
	Boot      string    // of the machine: the pids of another are other processes
	Folder    string    // with all of its files
	Made      []string  // empty folders of the machine that were not there
	Processes []process // the one outside first, then the first one inside

	file string
}

// begin writes down what the run is going to make, and makes it. There is one run on a machine.
func (m *machine) begin() (*record, error) {
	r, err := m.plan()
	if err != nil {
		return nil, err
	}
	if err := r.write(os.Link); errors.Is(err, fs.ErrExist) { // which a link does not replace
		return nil, refusal(m.record)
	} else if err != nil {
		return nil, err
	}
	err = m.noOtherKubelet()
	if err == nil {
		err = r.makeFolders()
	}
	if err != nil {
		return nil, errors.Join(err, r.remove(false))
	}
	return r, nil
}

// plan makes nothing yet.
func (m *machine) plan() (*record, error) {
	temporary, err := filepath.Abs(os.TempDir())
	if err != nil {
		return nil, err
	}
	r := &record{Boot: bootID(), file: m.record}
	r.Folder = filepath.Join(temporary, fmt.Sprint(folderPrefix, os.Getpid()))
	if len(r.Folder) > longestFolder {
		return nil, fmt.Errorf("TMPDIR=%s is too long for the names of sockets in it: name a folder of "+
			"at most %d characters", temporary, len(temporary)-len(r.Folder)+longestFolder)
	}
	for _, folder := range m.mountPoints {
		if _, err := os.Stat(folder); errors.Is(err, fs.ErrNotExist) {
			r.Made = append(r.Made, folder)
		}
	}
	self, err := processOf(os.Getpid())
	r.Processes = []process{self}
	return r, err
}

func (m *machine) noOtherKubelet() error {
	there := m.podCgroups()
	if len(there) == 0 {
		return nil
	}
	return fmt.Errorf("a kubelet runs on this machine, and a second one would take its pods for its "+
		"own; where none does any more, remove what it has left: find %s -depth -type d -exec rmdir {} +",
		strings.Join(there, " "))
}

func (r *record) makeFolders() error {
	for _, folder := range append([]string{r.Folder}, r.Made...) {
		if err := os.MkdirAll(folder, 0o755); err != nil {
			return err
		}
	}
	return nil
}

// remove takes away the folders, and then what says that they are there. Logs in them are all that
// can be kept.
func (r *record) remove(keepLogs bool) error {
	for _, folder := range r.Made {
		_ = os.Remove(folder) // unless it is in use meanwhile
	}
	if _, missing := os.Stat(r.Folder); missing == nil {
		if err := r.removeFolder(keepLogs); err != nil {
			return err
		}
	}
	if err := os.Remove(r.file); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil // a run that was asked to end has removed it itself
}

func (r *record) removeFolder(keepLogs bool) error {
	unmountBelow(r.Folder)
	if !keepLogs {
		return os.RemoveAll(r.Folder)
	}
	for _, name := range []string{kubectlCache, entranceName} {
		_ = os.RemoveAll(filepath.Join(r.Folder, name))
	}
	_ = os.Remove(r.Folder) // unless logs are in it
	return nil
}

// add writes down a process, too.
func (r *record) add(pid int) error {
	p, err := processOf(pid)
	if err != nil {
		return err
	}
	r.Processes = append(r.Processes, p)
	return r.write(os.Rename)
}

// write has the file appear with all of its content or not at all.
func (r *record) write(publish func(draft, file string) error) error {
	content, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return err
	}
	draft := fmt.Sprintf("%s.%d", r.file, os.Getpid())
	defer os.Remove(draft)
	if err := os.WriteFile(draft, content, 0o600); err != nil {
		return err
	}
	return publish(draft, r.file)
}

func readRecord(file string) (*record, error) {
	content, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	r := &record{file: file}
	err = json.Unmarshal(content, r)
	if err == nil && !strings.HasPrefix(filepath.Base(r.Folder), folderPrefix) {
		err = fmt.Errorf("no folder of a run: %q", r.Folder) // else anything could be removed
	}
	if err != nil {
		return nil, fmt.Errorf("%s tells of an earlier run and cannot be read: %w", file, err)
	}
	return r, nil
}

// refusal says why nothing else runs beside what is written down.
func refusal(file string) error {
	r, err := readRecord(file)
	if err != nil {
		return fmt.Errorf("%w; make clean-cluster removes it", err)
	}
	if living := r.living(); len(living) > 0 {
		return fmt.Errorf("a real node runs on this machine already, of which there can be one: end "+
			"process %d, by Ctrl-C where it was started or by make clean-cluster", living[0].Pid)
	}
	return fmt.Errorf("an earlier run was killed and has left %s and maybe cgroups: run "+
		"make clean-cluster", r.Folder)
}

// living are those of the processes that have not ended.
func (r *record) living() []process {
	if r.Boot != bootID() {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(r.Processes), func(p process) bool { return !p.alive() })
}

func bootID() string {
	content, _ := os.ReadFile("/proc/sys/kernel/random/boot_id") // every Linux has one
	return strings.TrimSpace(string(content))
}
