package box

import (
	"io"
	"os"
	"os/exec"
	"testing"
)

func TestUsageOfThisProcess(t *testing.T) {
	usage, err := usageOf(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	if usage.ResidentKiB < 1024 || usage.PeakKiB < 1024 || usage.Threads < 1 || usage.Files < 3 {
		t.Errorf("unlikely usage %+v", usage)
	}
}

// Only a child's descriptors hold still: the garbage collector closes this process's own.
func TestFilesOfAnotherProcess(t *testing.T) {
	null, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	defer null.Close()
	without, with := filesOfCat(t), filesOfCat(t, null, null)
	if without < 3 || with != without+2 {
		t.Errorf("%d files open, and %d with two more", without, with)
	}
}

// filesOfCat counts the open files of a cat that was started with these and waits for input.
func filesOfCat(t *testing.T, extra ...*os.File) int {
	t.Helper()
	cat := exec.Command("cat")
	cat.ExtraFiles = extra
	stdin, err := cat.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := cat.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cat.Start(); err != nil {
		t.Fatal(err)
	}
	defer cat.Wait()
	defer stdin.Close()
	// What cat has echoed says that its loader has opened and closed all it needs.
	line := []byte("started\n")
	if _, err := stdin.Write(line); err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadFull(stdout, line); err != nil {
		t.Fatal(err)
	}
	usage, err := usageOf(cat.Process.Pid)
	if err != nil {
		t.Fatal(err)
	}
	return usage.Files
}

func TestUsageOfNoProcess(t *testing.T) {
	if _, err := usageOf(1 << 30); err == nil {
		t.Error("no error for a process that is not there")
	}
}

func TestCPUTimes(t *testing.T) {
	cases := []struct {
		stat string
		want float64 // negative: an error
	}{
		{"7 (berth) S 1 2 3 4 5 6 7 8 9 10 250 150 0 0 20", 4},
		{"7 (a) b (c) S 1 2 3 4 5 6 7 8 9 10 100 0 0", 1},
		{"7 (berth) S 1 2 3", -1},
		{"7 (berth) S 1 2 3 4 5 6 7 8 9 10 x 0 0", -1},
	}
	for _, c := range cases {
		got, err := cpuSeconds(c.stat)
		if (err != nil) != (c.want < 0) || (err == nil && got != c.want) {
			t.Errorf("%q: %v (%v), want %v", c.stat, got, err, c.want)
		}
	}
}
