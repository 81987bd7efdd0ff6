//go:build cluster

package node

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"berth.dev/berth/tests/e2e/box"
)

// shipped is what users get: a version, and the archives of its chart and of its image.
type shipped struct{ version, chart, archive string }

// image is the one that the chart asks for.
func (s shipped) image() string { return "berth:" + s.version }

// findShipped is what `image/dist/build amd64` has made of this tree.
func findShipped() (shipped, error) {
	root, err := box.RepoRoot()
	if err != nil {
		return shipped{}, err
	}
	folder := filepath.Join(root, "build", "dist")
	const prefix, suffix = "berth-chart-", ".tgz"
	charts, err := filepath.Glob(filepath.Join(folder, prefix+"*"+suffix))
	if err != nil || len(charts) != 1 {
		return shipped{}, fmt.Errorf("want one build/dist/%s*%s, found %d: run image/dist/build amd64",
			prefix, suffix, len(charts))
	}
	version := strings.TrimSuffix(strings.TrimPrefix(filepath.Base(charts[0]), prefix), suffix)
	return shipped{version, charts[0], filepath.Join(folder, "berth-"+version+"-amd64.tar")}, nil
}

var versions = regexp.MustCompile(`(?m)^(version|appVersion): .*$`)

// withVersion copies the chart's folder into another, for another version.
func withVersion(folder, version string) error {
	chart, err := box.Chart()
	if err != nil {
		return err
	}
	if err := os.CopyFS(folder, os.DirFS(chart)); err != nil {
		return err
	}
	file := filepath.Join(folder, "Chart.yaml")
	content, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	return os.WriteFile(file, versions.ReplaceAll(content, []byte("$1: "+version)), 0o600)
}
