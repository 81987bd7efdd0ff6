package node

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// What stands in the way of a run is said with what to do about it, and nothing is made.
func TestBeginRefuses(t *testing.T) {
	cases := []struct {
		name   string
		before func(*testing.T, *machine)
		want   []string
	}{
		{"a run that goes on", func(t *testing.T, m *machine) {
			if _, err := m.begin(); err != nil {
				t.Fatal(err)
			}
		}, []string{fmt.Sprintf("process %d,", os.Getpid()), "Ctrl-C", "make clean-cluster"}},
		{"a leftover", func(t *testing.T, m *machine) { leave(t, m) },
			[]string{"was killed", "/berth-node-", "make clean-cluster"}},
		{"a kubelet", func(t *testing.T, m *machine) {
			makeFolder(t, filepath.Join(m.cgroups, "cpu", "kubepods"))
		}, []string{"a kubelet runs", "cpu/kubepods", "-exec rmdir"}},
		{"a broken record", func(t *testing.T, m *machine) {
			if err := os.WriteFile(m.record, []byte("{"), 0o600); err != nil {
				t.Fatal(err)
			}
		}, []string{"record.json", "make clean-cluster"}},
		{"a long name", func(t *testing.T, m *machine) {
			t.Setenv("TMPDIR", "/tmp/"+strings.Repeat("x", 80))
		}, []string{"TMPDIR=/tmp/xxx", "at most", "characters"}},
		{"a file for a folder", func(t *testing.T, m *machine) {
			file := filepath.Join(shortFolder(t), "file")
			if err := os.WriteFile(file, nil, 0o600); err != nil {
				t.Fatal(err)
			}
			t.Setenv("TMPDIR", file)
		}, []string{"not a directory"}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			m := fakeMachine(t)
			c.before(t, m)
			recorded, _ := os.ReadFile(m.record)
			_, err := m.begin()
			if err == nil {
				t.Fatal("no error")
			}
			for _, want := range c.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("%q says nothing of %q", err, want)
				}
			}
			if after, _ := os.ReadFile(m.record); string(after) != string(recorded) {
				t.Errorf("the record has become %q", after)
			}
			if drafts, _ := filepath.Glob(m.record + ".*"); len(drafts) > 0 {
				t.Errorf("%v is left", drafts)
			}
		})
	}
}

// What is run inside does not start where this program does.
func TestFolderIsAbsolute(t *testing.T) {
	m := fakeMachine(t)
	t.Chdir(shortFolder(t))
	t.Setenv("TMPDIR", ".")
	r, err := m.begin()
	if err != nil {
		t.Fatal(err)
	}
	if !filepath.IsAbs(r.Folder) || !exists(r.Folder) {
		t.Errorf("folder %q", r.Folder)
	}
}

func TestRecordIsReadAsItWasWritten(t *testing.T) {
	m := fakeMachine(t)
	r, err := m.begin()
	if err != nil {
		t.Fatal(err)
	}
	p, _ := sleeper(t)
	if err := r.add(p.Pid); err != nil {
		t.Fatal(err)
	}
	read, err := readRecord(m.record)
	if err != nil {
		t.Fatal(err)
	}
	if fmt.Sprint(read) != fmt.Sprint(r) || len(read.living()) != 2 {
		t.Errorf("read %v, written %v", read, r)
	}
	if !exists(r.Folder) || len(r.Made) != 1 || !exists(r.Made[0]) {
		t.Errorf("folders are missing of %v", r)
	}
}

// Of a run that failed the logs stay, and nothing that would be in the way of the next.
func TestSweepKeepsLogs(t *testing.T) {
	for name, keep := range map[string]bool{"logs": true, "none": false} {
		t.Run(name, func(t *testing.T) {
			m := fakeMachine(t)
			r := leave(t, m)
			log := filepath.Join(r.Folder, "berth-box-1")
			makeFolder(t, filepath.Join(r.Folder, kubectlCache, "discovery"))
			if _, err := m.sweep(r, keep); err != nil {
				t.Fatal(err)
			}
			if exists(log) != keep || exists(filepath.Join(r.Folder, kubectlCache)) {
				t.Errorf("logs there: %v", exists(log))
			}
			if _, err := m.begin(); err != nil {
				t.Errorf("the next run: %v", err)
			}
		})
	}
}

func TestSweepKeepsNoEmptyFolder(t *testing.T) {
	m := fakeMachine(t)
	r, err := m.begin()
	if err != nil {
		t.Fatal(err)
	}
	makeFolder(t, filepath.Join(r.Folder, entranceName))
	if _, err := m.sweep(r, true); err != nil || exists(r.Folder) {
		t.Errorf("error %v, folder there: %v", err, exists(r.Folder))
	}
}

func TestAdviceForAFullDisk(t *testing.T) {
	t.Setenv("TMPDIR", "/small/berth-node-1")
	for _, c := range []struct {
		err  error
		full bool
	}{
		{nil, false},
		{fmt.Errorf("start etcd: exit status 2"), false},
		{fmt.Errorf("write: %w", syscall.ENOSPC), true},
		{fmt.Errorf("ctr images: exit status 1\nctr: write /x: no space left on device"), true},
	} {
		advice := Advice(c.err)
		if (advice != "") != c.full || c.full && !strings.Contains(advice, " in /small; make room") {
			t.Errorf("of %v: %q", c.err, advice)
		}
	}
}
