package node

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// fakeMachine is one that has all that a node needs, in a folder of the test.
func fakeMachine(t *testing.T) *machine {
	t.Helper()
	folder := t.TempDir()
	t.Setenv("TMPDIR", shortFolder(t))
	m := &machine{
		record: filepath.Join(folder, "record.json"), cgroups: filepath.Join(folder, "cgroup"),
		mountPoints: []string{filepath.Join(folder, "mount")},
		look:        func(command string) (string, error) { return command, nil },
		namespaces:  func() error { return nil },
		grace:       time.Second / 2,
		patience:    time.Second / 10,
	}
	for _, controller := range controllers {
		makeFolder(t, filepath.Join(m.cgroups, controller))
	}
	return m
}

// shortFolder is one whose name leaves room for those of sockets.
func shortFolder(t *testing.T) string {
	t.Helper()
	folder, err := os.MkdirTemp("/tmp", "")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(folder) })
	return folder
}

func makeFolder(t *testing.T, path string) {
	t.Helper()
	if err := os.MkdirAll(path, 0o755); err != nil {
		t.Fatal(err)
	}
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// What a machine lacks is said with what to do about it.
func TestMissing(t *testing.T) {
	without := func(commands ...string) func(m *machine) {
		return func(m *machine) {
			m.look = func(command string) (string, error) {
				if slices.Contains(commands, command) {
					return "", errors.New("not found")
				}
				return command, nil
			}
		}
	}
	cases := []struct {
		name string
		take func(*machine)
		want []string // none: nothing is missing
	}{
		{"nothing", func(*machine) {}, nil},
		{"root", func(m *machine) { m.user = 1000 }, []string{"needs root", "run it as root"}},
		{"a package", without("runc"), []string{"apt-get install", " runc"}},
		{"packages", without("ip", "nft"), []string{" iproute2 nftables"}},
		{"plugins", without(pluginFolder + "/bridge"), []string{" containernetworking-plugins"}},
		{"a controller", func(m *machine) { os.Remove(filepath.Join(m.cgroups, "memory")) },
			[]string{"no controller memory,", "--cgroupns host"}},
		{"cgroups", func(m *machine) { m.cgroups = "/nonexistent" },
			[]string{"/nonexistent has no controller cpu, cpuset, memory,"}},
		{"namespaces", func(m *machine) {
			m.namespaces = func() error { return errors.New("operation not permitted") }
		}, []string{"operation not permitted", "docker run --privileged"}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			m := fakeMachine(t)
			c.take(m)
			got := m.missing()
			if (got == "") != (c.want == nil) {
				t.Errorf("missing: %q", got)
			}
			for _, want := range c.want {
				if !strings.Contains(got, want) {
					t.Errorf("%q says nothing of %q", got, want)
				}
			}
		})
	}
}

// Version 2 of cgroups has one folder and a list.
func TestControllersOfTheSecondVersion(t *testing.T) {
	m := &machine{cgroups: t.TempDir()}
	list := filepath.Join(m.cgroups, "cgroup.controllers")
	for content, want := range map[string][]string{
		"cpuset cpu io memory hugetlb pids rdma misc\n": nil,
		"cpuset cpu io pids\n":                          {"memory"},
		"":                                              controllers,
	} {
		if err := os.WriteFile(list, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		if got := m.missingControllers(); !slices.Equal(got, want) {
			t.Errorf("with %q lacks %v, want %v", content, got, want)
		}
	}
}

func TestPodCgroupsOfBothVersions(t *testing.T) {
	for _, path := range []string{"memory/kubepods", "kubepods"} {
		m := &machine{cgroups: t.TempDir()}
		if got := m.podCgroups(); len(got) > 0 {
			t.Errorf("found %v where there are none", got)
		}
		want := filepath.Join(m.cgroups, path)
		makeFolder(t, want)
		if got := m.podCgroups(); len(got) != 1 || got[0] != want {
			t.Errorf("found %v, want %s", got, want)
		}
	}
}
