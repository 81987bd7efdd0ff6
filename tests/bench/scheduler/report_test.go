package main

import (
	"reflect"
	"testing"

	"berth.dev/berth/tests/bench/figures"
)

// sampleReport is that of two rounds, of which the second met a machine twice as slow.
func sampleReport() report {
	berth := &berthOutcome{ReadySeconds: 1.5, ResidentMiB: 32, FilterP50: 0.25, FilterP99: 0.75}
	run := func(rate, cpu float64, berth *berthOutcome) outcome {
		return outcome{PodsPerSecond: rate, LastBinding: 1000 / rate, WaitP50: 1, WaitP99: 2,
			CreatedPerSecond: 400, SchedulerCPU: cpu, Berth: berth}
	}
	outcomes := [][]outcome{
		{run(200, 4, nil), run(100, 6, nil)},
		{run(40, 5, nil), run(20, 5, nil)},
		{run(180, 5, berth), run(90, 5, berth)},
	}
	m := figures.Machine{CPUs: 2, Versions: map[string]string{"kube-scheduler": "v1"}}
	all := []contender{{name: "alone"}, {name: "alone-every-node"}, {name: "berth"}}
	return report{Machine: m, Nodes: []int{7498}, Loads: []loadReport{
		newLoadReport(allLoads[0], options{pods: 1000, rate: 400}, all, outcomes)}}
}

// A machine that is slow for a round is slow for all: only what is of one round is compared.
func TestRatiosAreOfOneRoundAndToAllBefore(t *testing.T) {
	ways := sampleReport().Loads[0].Ways
	if ways[0].Ratios != nil || len(ways[1].Ratios) != 1 || len(ways[2].Ratios) != 2 {
		t.Fatalf("%+v", ways)
	}
	for i, want := range []float64{0.9, 4.5} {
		got := ways[2].Ratios[i]
		if got.To != ways[i].Way || !reflect.DeepEqual(got.Each, []float64{want, want}) ||
			got.Spread.Max != want {
			t.Errorf("berth's ratio %+v, want %v in every round", got, want)
		}
	}
}

func TestReportIsShown(t *testing.T) {
	r := sampleReport()
	if err := figures.CheckTables(r.print,
		"7498 nodes, 2 rounds; 2 CPUs",
		"| one device each, 1000 pods, 400/s | alone | **150.0** | 125.0 to 175.0 | "+
			"100.0 to 200.0 | **7.50** | 6.25 to 8.75 | 5.00 to 10.00 | 1.000 | 2.000 |\n",
		"| one device each | berth | alone | **0.90** | 0.90 to 0.90 | 0.90 to 0.90 |\n",
		"| one device each | berth | alone-every-node | **4.50** | 4.50 to 4.50 | 4.50 to 4.50 |\n",
		"| one device each | alone | 400 | 0 | 0 | 5.00 | 0.00 | 0.00 | 0.00 |\n",
		"| one device each | berth | 0.25 | 0.75 | 0.00 | 0.00 | 32.0 | 1.50 |\n",
	); err != nil {
		t.Error(err)
	}
	if err := figures.CheckPicture(r.draw, "pods/s: one device each, 1000 pods, 400/s",
		"single, berth : alone", "7498 nodes; 2 CPUs"); err != nil {
		t.Error(err)
	}
	if err := figures.CheckReadBack(r); err != nil {
		t.Error(err)
	}
}
