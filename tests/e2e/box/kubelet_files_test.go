package box

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

func readAll(t *testing.T, folder string) map[string]string {
	t.Helper()
	all := map[string]string{}
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		content, err := os.ReadFile(filepath.Join(folder, entry.Name()))
		if err == nil {
			all[entry.Name()] = string(content)
		}
	}
	return all
}

func TestFilesOfAVolumeAreReplaced(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "volume")
	for _, files := range []fileSet{
		{"tls.crt": {"one", 0o400}, "tls.key": {"one", 0o400}},
		{"tls.crt": {"two", 0o400}, "ca.crt": {"new", 0o400}},
		{},
	} {
		if err := replaceFiles(folder, files); err != nil {
			t.Fatal(err)
		}
		got := readAll(t, folder)
		if len(got) != len(files) {
			t.Errorf("the folder holds %v, want %v", got, files)
		}
		for name, file := range files {
			if got[name] != file.content {
				t.Errorf("%s is %q, want %q", name, got[name], file.content)
			}
		}
	}
}

func TestFilesHaveTheirMode(t *testing.T) {
	folder := t.TempDir()
	if err := replaceFiles(folder, fileSet{"deep/tls.key": {"key", 0o400}}); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(filepath.Join(folder, "deep", "tls.key"))
	if err != nil || info.Mode().Perm() != 0o400 {
		t.Errorf("%v (%v), want 0400", info, err)
	}
}

// A program that reads certificate and key one after the other, through ..data opened once, must
// never see halves of two pairs.
func TestFilesAreReplacedAtOnce(t *testing.T) {
	folder := t.TempDir()
	pair := func(content string) fileSet {
		return fileSet{"tls.crt": {content, 0o400}, "tls.key": {content, 0o400}}
	}
	if err := replaceFiles(folder, pair("0")); err != nil {
		t.Fatal(err)
	}
	over := make(chan struct{})
	go func() {
		defer close(over)
		for round := range 200 {
			if err := replaceFiles(folder, pair(string(rune('a'+round%26)))); err != nil {
				t.Error(err)
			}
		}
	}()
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); {
		select {
		case <-over:
			return
		default:
		}
		at, err := filepath.EvalSymlinks(filepath.Join(folder, dataLink))
		if err != nil {
			continue // between two steps of this reader, not of the writer
		}
		certificate, err := os.ReadFile(filepath.Join(at, "tls.crt"))
		if err != nil {
			continue
		}
		key, err := os.ReadFile(filepath.Join(at, "tls.key"))
		if err == nil && string(certificate) != string(key) {
			t.Fatalf("certificate %q with key %q", certificate, key)
		}
	}
}
