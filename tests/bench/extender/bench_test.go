package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"berth.dev/berth/tests/bench/figures"
)

// The command does this with 7,498 nodes.
func TestEveryPartMeasures(t *testing.T) {
	dir := t.TempDir()
	o := options{nodes: 280, rounds: 1, requests: 20, batch: 10, changes: 3, starts: 1, pods: 1000,
		seed: 1, files: figures.Files{JSON: filepath.Join(dir, "a.json"),
			Picture: filepath.Join(dir, "a.svg")}}
	if err := o.choose("60,120", partNames()); err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	if err := run(t.Context(), o, &out, t.Output()); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"| Berth, filter | 280 | back to back | **0.", "| Berth, filter | 280 | kube-scheduler, every ",
		"| Berth, prioritize | that fit | kube-scheduler, default node sampling | **0.",
		"| Go echo, prioritize | 134 |", "\n| 60 | ", "\n| 120 | ", "| kube-apiserver | 280 | 0 | ready",
		"| generated | 280 | 1000 | resident MiB, asked |", "\n3 changes.\n",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, out.String())
		}
	}
	for _, file := range []string{o.files.JSON, o.files.Picture} {
		if info, err := os.Stat(file); err != nil || info.Size() < 1000 {
			t.Errorf("%s: %v", file, err)
		}
	}
}
