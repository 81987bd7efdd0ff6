package box

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestWriteFileMakesItsFolders(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a", "b", "c.txt")
	for _, text := range []string{"a long text", "short"} { // the second replaces the first
		err := WriteFile(path, func(w io.Writer) error {
			_, err := fmt.Fprint(w, text)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		if content, err := os.ReadFile(path); err != nil || string(content) != text {
			t.Errorf("file has %q (%v), want %q", content, err, text)
		}
	}
}

func TestVersions(t *testing.T) {
	for name, want := range map[string]string{"kube-scheduler": "Kubernetes v", "berth": "berth "} {
		if version, err := Version(t.Context(), name); err != nil || !strings.HasPrefix(version, want) {
			t.Errorf("version %q (%v) of %s, want it to begin with %q", version, err, name, want)
		}
	}
	if _, err := Version(t.Context(), "kube-nothing"); err == nil ||
		!strings.Contains(err.Error(), buildScript) {
		t.Errorf("error %v does not say how to build it", err)
	}
}
