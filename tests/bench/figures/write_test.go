package figures

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"
)

func TestReportAndPictureAreWritten(t *testing.T) {
	dir := t.TempDir()
	f := Files{JSON: filepath.Join(dir, "new", "a.json"), Picture: filepath.Join(dir, "a.svg")}
	err := f.Write(map[string]int{"rounds": 7}, func(w io.Writer) error {
		_, err := io.WriteString(w, "<svg/>")
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{f.JSON: "{\n  \"rounds\": 7\n}\n", f.Picture: "<svg/>"} {
		if content, err := os.ReadFile(path); err != nil || string(content) != want {
			t.Errorf("%s holds %q (%v), want %q", path, content, err, want)
		}
	}
}

func TestWhatCannotBeWrittenIsAnError(t *testing.T) {
	dir := t.TempDir()
	nothing := func(io.Writer) error { return nil }
	broken := errors.New("out of ink")
	good := filepath.Join(dir, "a")
	if err := (Files{JSON: dir, Picture: good}).Write(1, nothing); err == nil {
		t.Error("a folder was written as JSON")
	}
	if err := (Files{JSON: good, Picture: good}).Write(func() {}, nothing); err == nil {
		t.Error("a function was written as JSON")
	}
	err := Files{JSON: good, Picture: good}.Write(1, func(io.Writer) error { return broken })
	if !errors.Is(err, broken) {
		t.Errorf("error %v, want that of the picture", err)
	}
}
