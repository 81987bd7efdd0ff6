package main

import (
	"reflect"
	"testing"

	"berth.dev/berth/tests/bench/figures"
)

// sampleReport is that of two rounds, of which the second met a machine twice as slow.
func sampleReport(t *testing.T) report {
	t.Helper()
	ways, err := parseWays("none,berth")
	if err != nil {
		t.Fatal(err)
	}
	berth := &berthOutcome{ReadySeconds: 1.5, ResidentMiB: 32, FilterP50: 0.25, FilterP99: 0.75}
	outcomes := [][]outcome{
		{{PodsPerSecond: 200, SchedulerCPU: 4}, {PodsPerSecond: 100, SchedulerCPU: 6}},
		{{PodsPerSecond: 180, SchedulerCPU: 5, BerthCPU: 0.5, Berth: berth},
			{PodsPerSecond: 90, SchedulerCPU: 5, BerthCPU: 0.5, Berth: berth}},
	}
	m := figures.Machine{CPUs: 2, Versions: map[string]string{"kube-scheduler": "v1"}}
	return report{Machine: m, Nodes: 7498,
		Loads: []loadReport{newLoadReport(allLoads[0], 2000, ways, outcomes)}}
}

// A machine that is slow for a round is slow for all: only what is of one round is compared.
func TestRatiosAreOfOneRound(t *testing.T) {
	ways := sampleReport(t).Loads[0].Ways
	if ways[0].Ratio != nil || !reflect.DeepEqual(ways[1].Ratios, []float64{0.9, 0.9}) ||
		ways[1].Ratio.Max != 0.9 {
		t.Errorf("ratios %v and %v, want 0.9 in every round", ways[0].Ratios, ways[1].Ratios)
	}
}

func TestReportIsShown(t *testing.T) {
	r := sampleReport(t)
	if err := figures.CheckTables(r.print,
		"7498 nodes, 2 rounds; 2 CPUs",
		"| one device each, default node sampling, 2000 pods | none | **150.0** | "+
			"125.0 to 175.0 | 100.0 to 200.0 |  | | | 5.00 |\n",
		"| berth | **135.0** | 112.5 to 157.5 | 90.0 to 180.0 | **0.90** | 0.90 to 0.90 | "+
			"0.90 to 0.90 | 5.00 |\n",
		"| one device each, default node sampling | berth | 0.25 | 0.75 | 0.00 | 0.00 | 0.50 | "+
			"32.00 | 1.50 |\n",
	); err != nil {
		t.Error(err)
	}
	if err := figures.CheckPicture(r.draw, "pods/s: one device each, default node sampling, 2000 pods",
		"single, berth : none", "7498 nodes; 2 CPUs"); err != nil {
		t.Error(err)
	}
	if err := figures.CheckReadBack(r); err != nil {
		t.Error(err)
	}
}
