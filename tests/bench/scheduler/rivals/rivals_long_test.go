//go:build long

package rivals

import (
	"path/filepath"
	"strings"
	"testing"
)

// The command does this with the rivals, too, which `make check` does not build.
func TestGangsRunOneAfterTheOther(t *testing.T) {
	o, err := parse([]string{"-scenes", "contest", "-ways", "berth", "-contest-nodes", "60", "-gangs", "3",
		"-length", "1s", "-patience", "30s", "-rounds", "1", "-json", filepath.Join(t.TempDir(), "a.json")})
	if err != nil {
		t.Fatal(err)
	}
	usual := programs
	programs = nil // those of the other version are not built either
	t.Cleanup(func() { programs = usual })
	var out strings.Builder
	if err := run(t.Context(), o, &out, t.Output()); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(out.String(), "| Berth | 1 | 3 |") {
		t.Errorf("not all gangs ran:\n%s", &out)
	}
}
