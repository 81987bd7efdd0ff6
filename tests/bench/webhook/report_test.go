package main

import (
	"encoding/json"
	"reflect"
	"strings"
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

func TestTablesAreMarkdown(t *testing.T) {
	var out strings.Builder
	if err := sampleReport().print(&out); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"blocks of 200 pods, 8 at a time; 2 CPUs",
		"| pods as people write them |  | quartiles | min to max |\n|---|---|---|---|\n",
		"| none, pods/s | **100** | 55 to 150 | 10 to 200 |\n",
		"| some : none | **0.50** | 0.50 to 0.50 | 0.50 to 0.50 |\n",
		"| some, kube-apiserver's CPU ms/pod | **2.00** |",
		"\n3 rounds.\n",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, out.String())
		}
	}
}

func TestFiguresAreReadBackAndDrawn(t *testing.T) {
	content, err := json.Marshal(sampleReport())
	if err != nil {
		t.Fatal(err)
	}
	var read report
	if err := json.Unmarshal(content, &read); err != nil || !reflect.DeepEqual(read, sampleReport()) {
		t.Errorf("read back (%v) %+v", err, read)
	}
	var picture strings.Builder
	if err := sampleReport().draw(&picture); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"pods/s: pods as people write them", "CPU for each of them, ms",
		"2 CPUs for all, v1.36"} {
		if !strings.Contains(picture.String(), want) {
			t.Errorf("no %q in the picture", want)
		}
	}
}
