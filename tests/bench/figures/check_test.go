package figures

import (
	"errors"
	"io"
	"strings"
	"testing"
)

func writing(text string) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := io.WriteString(w, text)
		return err
	}
}

// expect wants an error that says so, or none.
func expect(t *testing.T, err error, want string) {
	t.Helper()
	if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
		t.Errorf("error %v, want %q", err, want)
	}
}

func TestWhatIsWrongWithTables(t *testing.T) {
	const two = "| a | b |\n|---|---|\n| 1 | 2 |\n"
	broken := errors.New("out of ink")
	expect(t, CheckTables(writing(two), "| 1 | 2 |", "a"), "")
	expect(t, CheckTables(writing(two+"\n| a |\n|---|\n")), "") // another table
	expect(t, CheckTables(writing(two), "a", "| 3 |"), `no "| 3 |"`)
	expect(t, CheckTables(writing(two+"| 1 |\n")), "2 bars, 3 in the line above: | 1 |")
	expect(t, CheckTables(func(io.Writer) error { return broken }), broken.Error())
}

func TestWhatIsWrongWithPictures(t *testing.T) {
	broken := errors.New("out of ink")
	expect(t, CheckPicture(writing("<svg>ms</svg>"), "ms"), "")
	expect(t, CheckPicture(writing("<svg>ms</svg>"), "pods/s"), `no "pods/s"`)
	expect(t, CheckPicture(writing("<svg>NaN</svg>")), "a value is no number")
	expect(t, CheckPicture(func(io.Writer) error { return broken }), broken.Error())
}

func TestWhatIsNotReadBack(t *testing.T) {
	type report struct {
		Rounds  int
		secret  int
		Channel chan int `json:"-"`
	}
	expect(t, CheckReadBack(report{Rounds: 7}), "")
	expect(t, CheckReadBack(report{secret: 1}), "read back as {Rounds:0 secret:0")
	expect(t, CheckReadBack(make(chan int)), "unsupported type")
}
