package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"berth.dev/berth/tests/bench/figures"
	"berth.dev/berth/tests/e2e/fleet"
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
		"| Berth, filter | 134 | kube-scheduler, default node sampling | **0.",
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

// Or "filter with all names" would be about fewer.
func TestKubeSchedulerAsksAboutEveryNode(t *testing.T) {
	o := options{nodes: 280, rounds: 1, batch: 20, seed: 1}
	b, err := start(t.Context(), o, t.Output())
	if err != nil {
		t.Fatal(err)
	}
	defer b.stop()
	if err := b.scheduleBy(t.Context(), allLooking[0]); err != nil {
		t.Fatal(figures.Failed(t.Context(), b.box, err))
	}
	log, err := os.ReadFile(b.box.Berth.LogFile)
	if err != nil {
		t.Fatal(err)
	}
	want := 0 // a pod that takes any GPU fits wherever no MN-Core is, as far as Berth is concerned
	for _, pool := range fleet.Scaled(o.nodes) {
		if pool.Resource != fleet.ResourceMNCore {
			want += pool.Nodes
		}
	}
	placements := 0
	for line := range strings.Lines(string(log)) {
		var entry struct {
			Msg, Pod string
			Fitting  int
		}
		if json.Unmarshal([]byte(line), &entry) != nil || entry.Msg != "placement" ||
			!strings.Contains(entry.Pod, "/any-gpu-") {
			continue
		}
		placements++
		if entry.Fitting != want {
			t.Errorf("%d nodes fit, want %d: %s", entry.Fitting, want, line)
		}
	}
	if placements == 0 {
		t.Errorf("berth logs no placement of a pod that takes any GPU:\n%s", log)
	}
}
