//go:build long

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"berth.dev/berth/tests/bench/figures"
)

// The command does this with 7,498 nodes.
func TestEveryKindOfWayMeasures(t *testing.T) {
	dir := t.TempDir()
	o := options{nodes: 60, waiting: 5, rate: 20, settle: time.Second, lasts: 2 * time.Second,
		last: 10 * time.Second, rounds: 1, seed: 1, files: figures.Files{JSON: filepath.Join(dir, "a.json"),
			Picture: filepath.Join(dir, "a.svg")}}
	if err := o.choose("default-nobody-10,every-said-10,shipped-unsaid,default-unsaid-60,default-error-10"); err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	if err := run(t.Context(), o, &out, t.Output()); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"60 nodes, 5 pods that nothing fits, 20 new ones a second for 2s; ",
		"| default sampling, nobody waits | 10 | **0.", "| every node, refused by kube-scheduler itself | 10 |",
		"| default sampling, refused by Berth | 60 |", "| as shipped, refused by Berth | 60 | **0.",
		"| default sampling, answered with an error by an extender in Go | 10 |", "| 0 of 40 |",
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
