package main

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"
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

func TestTablesAreMarkdown(t *testing.T) {
	var out bytes.Buffer
	if err := sampleReport(t).print(&out); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"7498 nodes, 2 rounds; 2 CPUs",
		"| one device each, default node sampling, 2000 pods | none | **150.0** | " +
			"125.0 to 175.0 | 100.0 to 200.0 |  | | | 5.00 |\n",
		"| berth | **135.0** | 112.5 to 157.5 | 90.0 to 180.0 | **0.90** | 0.90 to 0.90 | " +
			"0.90 to 0.90 | 5.00 |\n",
		"| one device each, default node sampling | berth | 0.25 | 0.75 | 0.00 | 0.00 | 0.50 | " +
			"32.00 | 1.50 |\n",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, out.String())
		}
	}
	columns := 0
	for line := range strings.Lines(out.String()) {
		bars := strings.Count(line, "|")
		if bars == 0 {
			columns = 0 // the next table
		} else if columns == 0 {
			columns = bars
		} else if bars != columns {
			t.Errorf("%d bars, %d in the lines above: %s", bars, columns, line)
		}
	}
}

func TestPictureAndFiguresAreOfTheReport(t *testing.T) {
	content, err := json.Marshal(sampleReport(t))
	if err != nil {
		t.Fatal(err)
	}
	var read report
	if err := json.Unmarshal(content, &read); err != nil || !reflect.DeepEqual(read, sampleReport(t)) {
		t.Errorf("read back (%v) %+v", err, read)
	}
	var picture strings.Builder
	if err := sampleReport(t).draw(&picture); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"pods/s: one device each, default node sampling, 2000 pods", "single, berth : none",
		"7498 nodes; 2 CPUs"} {
		if !strings.Contains(picture.String(), want) {
			t.Errorf("no %q in the picture", want)
		}
	}
}
