package main

import (
	"bytes"
	"strings"
	"testing"
)

func TestPictureNamesWhatWasMeasured(t *testing.T) {
	var out bytes.Buffer
	if err := draw(&out, run100(func(i int) int { return 30000 + 100*i }), "a caption"); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"resident memory, MiB", "filter, ms", "minutes", "a caption", "p99"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in the picture", want)
		}
	}
	if curves := strings.Count(out.String(), "<polyline"); curves != 4 {
		t.Errorf("%d curves, want 4", curves)
	}
}
