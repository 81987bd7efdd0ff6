package box

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

const buildScript = "tests/e2e/build/build.sh"

// RepoRoot finds the repository from the working directory upwards.
func RepoRoot() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for at := dir; ; at = filepath.Dir(at) {
		if _, err := os.Stat(filepath.Join(at, buildScript)); err == nil {
			return at, nil
		}
		if at == filepath.Dir(at) {
			return "", fmt.Errorf("no %s in %s or above: run inside the repository", buildScript, dir)
		}
	}
}

// Program returns the path of one of the programs that build.sh builds.
func Program(name string) (string, error) {
	cache := os.Getenv("BERTH_CACHE")
	if cache == "" {
		root, err := RepoRoot()
		if err != nil {
			return "", err
		}
		cache = filepath.Join(root, ".cache")
	}
	return existing(filepath.Join(cache, "bin", name), "run "+buildScript)
}

// BerthBinary returns the path of berth: $BERTH_BINARY, else the release build.
func BerthBinary() (string, error) {
	if path := os.Getenv("BERTH_BINARY"); path != "" {
		return existing(path, "BERTH_BINARY names it")
	}
	root, err := RepoRoot()
	if err != nil {
		return "", err
	}
	path := filepath.Join(root, "build", "release", "cli", "berth")
	return existing(path, "build the release preset, or set BERTH_BINARY")
}

// Version is what a program, or berth, says first of its version.
func Version(ctx context.Context, name string) (string, error) {
	find, argument := func() (string, error) { return Program(name) }, "--version"
	if name == "berth" {
		find, argument = BerthBinary, "version"
	}
	path, err := find()
	if err != nil {
		return "", err
	}
	output, err := exec.CommandContext(ctx, path, argument).Output()
	if err != nil {
		return "", fmt.Errorf("%s %s: %w", path, argument, err)
	}
	line, _, _ := strings.Cut(string(output), "\n")
	return line, nil
}

// Release is the version of a program that build.sh builds in the folder of its own module. Such
// programs seldom say it themselves.
func Release(name string) (string, error) {
	path, err := Program(name)
	if err != nil {
		return "", err
	}
	stamp, err := os.ReadFile(filepath.Join(filepath.Dir(path), "."+name+".stamp"))
	fields := strings.Fields(string(stamp)) // module, version, checksum and more
	if err == nil && len(fields) < 2 {
		err = fmt.Errorf("%s was not built by %s", path, buildScript)
	}
	if err != nil {
		return "", err
	}
	return fields[0] + " v" + fields[1], nil
}

// WriteFile makes a file, below the repository's root unless the path is absolute, and the folders
// that it needs.
func WriteFile(path string, content func(io.Writer) error) error {
	if !filepath.IsAbs(path) {
		root, err := RepoRoot()
		if err != nil {
			return err
		}
		path = filepath.Join(root, path)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return err
	}
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	return errors.Join(content(file), file.Close())
}

func existing(path, advice string) (string, error) {
	if _, err := os.Stat(path); err != nil {
		return "", fmt.Errorf("%s is missing: %s", path, advice)
	}
	return path, nil
}
