package box

import (
	"fmt"
	"os"
	"path/filepath"
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

func existing(path, advice string) (string, error) {
	if _, err := os.Stat(path); err != nil {
		return "", fmt.Errorf("%s is missing: %s", path, advice)
	}
	return path, nil
}
