package chart

import (
	"flag"
	"os"
	"path/filepath"
	"testing"
)

var update = flag.Bool("update", false, "write the golden files anew")

// What a change of the chart does to a cluster is to be seen in its review.
func TestDefaultRendering(t *testing.T) {
	golden(t, "default.yaml", render(t, "").text)
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join(repoRoot(t), "tests", "golden", "chart", name)
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s is out of date; see what changed after: go test -run %s ./... -update", file,
			t.Name())
	}
}

func TestHelmFindsNoFault(t *testing.T) {
	text, err := run(t, "", program(t, "helm"), "lint", "--strict", chartFolder(t))
	if err != nil {
		t.Errorf("%v\n%s", err, text)
	}
}
