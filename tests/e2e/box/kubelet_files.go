package box

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// The names that kubelet gives (pkg/volume/util/atomic_writer.go in Kubernetes 1.36.3): a program
// may watch for them.
const (
	dataLink    = "..data"
	newDataLink = "..data_tmp"
)

// replaceFiles replaces what a volume holds at once, as kubelet does: the names in the folder lead
// through the link ..data, which is renamed over its predecessor.
func replaceFiles(folder string, files fileSet) error {
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return err
	}
	before, err := os.Readlink(filepath.Join(folder, dataLink))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	now, err := os.MkdirTemp(folder, "..data_of_")
	if err != nil {
		return err
	}
	for path, file := range files {
		if err := writeFile(filepath.Join(now, path), file); err != nil {
			return err
		}
	}
	if err := swap(folder, filepath.Base(now)); err != nil {
		return err
	}
	if before != "" {
		err = os.RemoveAll(filepath.Join(folder, before))
	}
	return errors.Join(err, linkNames(folder, files))
}

func writeFile(path string, file volumeFile) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	return os.WriteFile(path, []byte(file.content), file.mode)
}

func swap(folder, now string) error {
	link := filepath.Join(folder, newDataLink)
	if err := os.Symlink(now, link); err != nil {
		return err
	}
	return os.Rename(link, filepath.Join(folder, dataLink))
}

// linkNames makes the names by which programs open the files, and removes those of files that are
// no more.
func linkNames(folder string, files fileSet) error {
	wanted := map[string]bool{}
	for path := range files {
		name, _, _ := strings.Cut(path, "/")
		wanted[name] = true
	}
	entries, err := os.ReadDir(folder)
	if err != nil {
		return err
	}
	for _, entry := range entries {
		name := entry.Name()
		if !wanted[name] && !strings.HasPrefix(name, "..") {
			err = errors.Join(err, os.Remove(filepath.Join(folder, name)))
		}
		delete(wanted, name)
	}
	for name := range wanted {
		err = errors.Join(err, os.Symlink(filepath.Join(dataLink, name), filepath.Join(folder, name)))
	}
	return err
}
