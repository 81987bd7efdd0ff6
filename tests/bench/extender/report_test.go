package main

import (
	"strings"
	"testing"

	"berth.dev/berth/tests/bench/figures"
)

func sampleReport() report {
	rounds := []round{{CallerP50: 1, CallerP99: 3, BerthP50: 0.25, BerthP99: 0.5},
		{CallerP50: 2, CallerP99: 5, BerthP50: 0.75, BerthP99: 1}}
	filter := answers{Who: "Berth", Verb: "filter", How: backToBack, Nodes: 7498,
		RequestBytes: 94_000, Rounds: rounds}
	return report{
		Machine: figures.Machine{CPUs: 2, Versions: map[string]string{"berth": "berth 0.1.0"}},
		Nodes:   7498,
		Starts:  []started{{ReadySeconds: 1.5, ResidentMiB: 40}},
		Answers: []answers{filter,
			{Who: "Go echo", Verb: "filter", How: backToBack, Nodes: 7498,
				Rounds: []round{{CallerP50: 4, CallerP99: 6}}},
			{Who: "Berth", Verb: "prioritize", How: allLooking[0].how,
				Rounds: []round{{BerthP50: 0.1, BerthP99: 0.2}}}},
		Changes: []change{{Seen: 4, Refused: 6, Asking: 0.5}, {Seen: 4, Refused: 5, Asking: 0.5}},
		Sizes: []sized{{Nodes: 1000, Filter: filter, started: started{ReadySeconds: 0.5,
			ResidentMiB: 30, AskedResidentMiB: 31}}},
		Memory: &filled{Pods: 200_000, Starts: []started{{ReadySeconds: 9, ResidentMiB: 60,
			AskedResidentMiB: 62}}, Controller: []started{{ReadySeconds: 9, ResidentMiB: 70}}},
	}
}

func TestReportIsShown(t *testing.T) {
	r := sampleReport()
	if err := figures.CheckTables(r.print,
		"2 CPUs",
		"| Berth, filter | 7498 | back to back | **0.500** | 0.375 to 0.625 | 0.250 to 0.750 | "+
			"**0.750** | 0.625 to 0.875 | 0.500 to 1.000 |\n",
		"| Berth, prioritize | that fit | kube-scheduler, every node looked at | **0.100** |",
		"| Go echo, filter | 7498 | back to back | **4.000** |",
		"| 1000 | 94 | **0.500** (0.250 to 0.750) | **0.750** (0.500 to 1.000) | **1.500** (1.000 to "+
			"2.000) | **4.000** (3.000 to 5.000) | 1500 | 30.0 | 31.0 | 0.50 |\n",
		"| kube-apiserver | 7498 | 0 | ready after s | **1.50** |",
		"| generated | 7498 | 200000 | resident MiB, asked | **62.0** |",
		"| generated, the controller | 7498 | 200000 | resident MiB, listed | **70.0** |",
		"| refused after the event | **1.50** | **1.99** | 1.25 to 1.75 | 1.00 to 2.00 |\n",
	); err != nil {
		t.Error(err)
	}
	if err := figures.CheckPicture(r.draw, "Berth&#39;s own time: p50 of rounds, ms",
		"over TLS: p99 of rounds, ms", "filter, warm", "prioritize, every node, in situ",
		"Go echo, filter, warm", "filter, ms", "resident, MiB", "Berth refuses the node",
		"7498 nodes; 2 CPUs"); err != nil {
		t.Error(err)
	}
	if err := figures.CheckReadBack(r); err != nil {
		t.Error(err)
	}
}

func TestOnlyWhatWasMeasuredIsShown(t *testing.T) {
	var out strings.Builder
	r := report{Nodes: 50, Sizes: sampleReport().Sizes}
	if err := r.print(&out); err != nil {
		t.Fatal(err)
	}
	if tables := strings.Count(out.String(), "|---|\n"); tables != 1 {
		t.Errorf("%d tables, want 1:\n%s", tables, out.String())
	}
	if err := figures.CheckPicture(r.draw); err != nil {
		t.Error(err)
	}
}
