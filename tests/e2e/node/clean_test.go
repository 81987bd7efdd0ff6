package node

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// leave begins a run as if this program had been killed in its middle: processes ended, a folder
// with files and cgroups are there.
func leave(t *testing.T, m *machine) *record {
	t.Helper()
	r, err := m.begin()
	if err != nil {
		t.Fatal(err)
	}
	r.Processes = nil
	if err := r.write(os.Rename); err != nil {
		t.Fatal(err)
	}
	makeFolder(t, filepath.Join(r.Folder, "berth-box-1", "etcd"))
	makeFolder(t, filepath.Join(m.cgroups, "memory", "kubepods", "besteffort", "pod1"))
	return r
}

func (m *machine) mustClean(t *testing.T) string {
	t.Helper()
	var said strings.Builder
	if err := m.clean(&said); err != nil {
		t.Fatal(err)
	}
	return said.String()
}

func TestCleanWithoutALeftover(t *testing.T) {
	m := fakeMachine(t)
	if said := m.mustClean(t); !strings.Contains(said, "nothing to clean") {
		t.Errorf("says %q", said)
	}
}

func TestCleanRemovesAllAndSaysWhat(t *testing.T) {
	m := fakeMachine(t)
	r := leave(t, m)
	cgroup := filepath.Join(m.cgroups, "memory", "kubepods")
	said := m.mustClean(t)
	for _, path := range []string{r.Folder, cgroup} {
		if exists(path) || !strings.Contains(said, "removed "+path+"\n") {
			t.Errorf("%s there: %v; said %q", path, exists(path), said)
		}
	}
	if exists(m.record) || exists(m.mountPoints[0]) {
		t.Error("the record or a folder to mount on is still there")
	}
	if again := m.mustClean(t); !strings.Contains(again, "nothing to clean") {
		t.Errorf("the second time it says %q", again)
	}
	if _, err := m.begin(); err != nil {
		t.Errorf("no run can begin: %v", err)
	}
}

func TestCleanEndsProcesses(t *testing.T) {
	for name, command := range map[string][]string{
		"that end when asked": {"sleep", "60"},
		"that do not":         {"env", "--ignore-signal=TERM", "sleep", "60"},
	} {
		t.Run(name, func(t *testing.T) {
			m := fakeMachine(t)
			r := leave(t, m)
			p, ended := sleeper(t, command...)
			if err := r.add(p.Pid); err != nil {
				t.Fatal(err)
			}
			said := m.mustClean(t)
			<-ended
			if !strings.Contains(said, fmt.Sprintf("ended process %d\n", p.Pid)) {
				t.Errorf("says %q", said)
			}
		})
	}
}

// Since the record was written its pids have gone to others, or the machine was started anew.
func TestCleanSparesOtherProcesses(t *testing.T) {
	for name, change := range map[string]func(*record){
		"pid used again":   func(r *record) { r.Processes[0].Started++ },
		"machine rebooted": func(r *record) { r.Boot = "another" },
	} {
		t.Run(name, func(t *testing.T) {
			m := fakeMachine(t)
			r := leave(t, m)
			p, _ := sleeper(t)
			r.Processes = []process{p}
			change(r)
			if err := r.write(os.Rename); err != nil {
				t.Fatal(err)
			}
			said := m.mustClean(t)
			if strings.Contains(said, "ended") || !p.alive() {
				t.Errorf("alive: %v; said %q", p.alive(), said)
			}
			if exists(r.Folder) {
				t.Error("the folder is still there")
			}
		})
	}
}

func TestCleanSparesWhatItDidNotMake(t *testing.T) {
	m := fakeMachine(t)
	makeFolder(t, m.mountPoints[0])
	r := leave(t, m)
	m.mustClean(t)
	if !exists(m.mountPoints[0]) {
		t.Error("a folder was removed that had been there")
	}
	// Made, and meanwhile somebody's.
	r = leave(t, m)
	r.Made = m.mountPoints
	if err := r.write(os.Rename); err != nil {
		t.Fatal(err)
	}
	makeFolder(t, filepath.Join(m.mountPoints[0], "somebody"))
	m.mustClean(t)
	if !exists(m.mountPoints[0]) {
		t.Error("a folder was removed that is in use")
	}
}

// Whatever the record has become: it is in the way of nobody, and nothing else is removed.
func TestCleanOfARecordThatCannotBeRead(t *testing.T) {
	for _, content := range []string{"", "{", "{}", `{"Folder": "/"}`, `{"Folder": "SOMEBODYS"}`} {
		t.Run(content, func(t *testing.T) {
			m := fakeMachine(t)
			somebodys := shortFolder(t)
			content := strings.ReplaceAll(content, "SOMEBODYS", somebodys)
			if err := os.WriteFile(m.record, []byte(content), 0o600); err != nil {
				t.Fatal(err)
			}
			said := m.mustClean(t)
			if !strings.Contains(said, "cannot be read") || !strings.Contains(said, "/berth-node-*") {
				t.Errorf("says %q", said)
			}
			if !exists(somebodys) || exists(m.record) {
				t.Errorf("folder there: %v, record there: %v", exists(somebodys), exists(m.record))
			}
		})
	}
}

func TestCleanIsRootsAffair(t *testing.T) {
	m := fakeMachine(t)
	m.user = 1000
	if err := m.clean(&strings.Builder{}); err == nil || !strings.Contains(err.Error(), "root") {
		t.Errorf("error %v", err)
	}
}

// A cgroup that cannot be removed is named, and the next attempt finds it.
func TestCleanNamesACgroupInUse(t *testing.T) {
	m := fakeMachine(t)
	leave(t, m)
	inUse := filepath.Join(m.cgroups, "memory", "kubepods", "burstable")
	makeFolder(t, inUse)
	file := filepath.Join(inUse, "file") // a folder with one is as hard to remove
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	err := m.clean(&strings.Builder{})
	if err == nil || !strings.Contains(err.Error(), filepath.Dir(inUse)) {
		t.Errorf("error %v, want one that names the cgroup", err)
	}
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	if m.mustClean(t); exists(inUse) {
		t.Error("the cgroup is still there")
	}
}
