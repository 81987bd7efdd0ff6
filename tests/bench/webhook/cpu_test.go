package main

import (
	"os"
	"testing"
	"time"
)

func TestCPUTimeIsOfUserAndKernelMode(t *testing.T) {
	if got, err := parseCPUTime("7 (kube-apiserver) S 1 7 7 0 -1 4194304 10 0 0 0 150 25 0 0 20"); err != nil ||
		got != 1750*time.Millisecond {
		t.Errorf("%v (%v), want 1.75 s", got, err)
	}
	if _, err := parseCPUTime("nonsense"); err == nil {
		t.Error("nonsense was read")
	}
	if _, err := cpuTime(os.Getpid()); err != nil {
		t.Error(err)
	}
}
