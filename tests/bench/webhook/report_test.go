package main

import (
	"reflect"
	"testing"

	"berth.dev/berth/tests/bench/figures"
)

// sampleReport is that of three rounds, of which the second met a machine ten times as slow.
func sampleReport() report {
	return report{
		Machine: figures.Machine{CPUs: 2, Versions: map[string]string{"kube-apiserver": "v1.36"}},
		Pods:    200, Workers: 8,
		Works: []workReport{newWorkReport("pods as people write them", []*way{
			{name: "none", rates: []float64{100, 10, 200}, costs: []float64{1, 1, 1}},
			{name: "some", rates: []float64{50, 5, 100}, costs: []float64{2, 2, 2}},
		})},
	}
}

// A machine that is slow for a round is slow for all: only what is of one round is compared.
func TestRatiosAreOfOneRound(t *testing.T) {
	ways := sampleReport().Works[0].Ways
	if ways[0].Ratio != nil || !reflect.DeepEqual(ways[1].EachRatio, []float64{0.5, 0.5, 0.5}) ||
		ways[1].Ratio.Min != 0.5 {
		t.Errorf("ratios %v and %v, want a half in every round", ways[0].Ratio, ways[1].EachRatio)
	}
}

func TestReportIsShown(t *testing.T) {
	r := sampleReport()
	if err := figures.CheckTables(r.print,
		"blocks of 200 pods, 8 at a time; 2 CPUs",
		"| pods as people write them |  | quartiles | min to max |\n|---|---|---|---|\n",
		"| none, pods/s | **100** | 55 to 150 | 10 to 200 |\n",
		"| some : none | **0.50** | 0.50 to 0.50 | 0.50 to 0.50 |\n",
		"| some, kube-apiserver's CPU ms/pod | **2.00** |",
		"\n3 rounds.\n",
	); err != nil {
		t.Error(err)
	}
	if err := figures.CheckPicture(r.draw, "pods/s: pods as people write them",
		"CPU for each of them, ms", "2 CPUs for all, v1.36"); err != nil {
		t.Error(err)
	}
	if err := figures.CheckReadBack(r); err != nil {
		t.Error(err)
	}
}
