package box

import (
	"os"
	"testing"
)

func TestUsageOfThisProcess(t *testing.T) {
	before, err := usageOf(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	if before.ResidentKiB < 1024 || before.Threads < 1 || before.Files < 3 {
		t.Errorf("unlikely usage %+v", before)
	}
	file, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	after, err := usageOf(os.Getpid())
	if err != nil || after.Files <= before.Files {
		t.Errorf("%d files open (%v), %d before another was opened", after.Files, err, before.Files)
	}
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
