package figures

import (
	"os"
	"strings"
	"testing"
)

func TestMachineIsNamed(t *testing.T) {
	m, err := ThisMachine(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if m.CPUs < 1 || m.MemoryGiB < 1 || !strings.Contains(m.Versions["kube-scheduler"], "v1.") {
		t.Errorf("machine %+v", m)
	}
	if got := firstMatch(os.DevNull, "(.*)x"); got != "unknown" {
		t.Errorf("%q of an empty file", got)
	}
}
