package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"berth.dev/berth/tests/bench/figures"
)

// The command does this with more pods, many times.
func TestEveryWayCreatesPods(t *testing.T) {
	dir := t.TempDir()
	o := options{rounds: 1, pods: 8, workers: 2, files: figures.Files{
		JSON: filepath.Join(dir, "a.json"), Picture: filepath.Join(dir, "a.svg")}}
	var out strings.Builder
	if err := run(t.Context(), o, &out, t.Output()); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"no webhook, pods/s | **", "| Berth : no webhook | **",
		"| Go webhook that does nothing, kube-apiserver's CPU ms/pod | **"} {
		if got := strings.Count(out.String(), want); got != 2 {
			t.Errorf("%d works have %q, want 2:\n%s", got, want, out.String())
		}
	}
	for _, file := range []string{o.files.JSON, o.files.Picture} {
		if info, err := os.Stat(file); err != nil || info.Size() < 1000 {
			t.Errorf("%s: %v", file, err)
		}
	}
}
