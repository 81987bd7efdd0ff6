package main

import (
	"testing"
	"time"

	"berth.dev/berth/tests/bench/figures"
)

func sampleReport() report {
	var waits []wait
	for i := range 101 {
		waits = append(waits, wait{at: time.Duration(i) * 100 * time.Millisecond,
			waited: time.Duration(i) * 10 * time.Millisecond})
	}
	b := newBlock(waits, 3)
	b.AsksPerSecond, b.SchedulerCores = 98.76, 0.543
	r := report{Nodes: 7498, Waiting: 1000, Rate: 10, Lasts: "2m0s",
		Machine: figures.Machine{CPUs: 2, Versions: map[string]string{"kube-scheduler": "v1"}}}
	ways, _ := parseWays("default-nobody-10,default-said-10,shipped-unsaid")
	for _, w := range ways {
		r.Ways = append(r.Ways, wayReport{Way: w.name, Title: w.title(), Against: w.against(),
			MaxBackoff: w.maxBackoff, Blocks: []block{b}})
	}
	r.Ways[1].Blocks[0].Wait.Median *= 3
	return r
}

func TestWaitsAreSummedUp(t *testing.T) {
	b := sampleReport().Ways[0].Blocks[0]
	if b.Pods != 101 || b.Unbound != 3 || b.Wait.Median != 0.5 || b.WaitP99 != 0.99 || b.Wait.Max != 1 {
		t.Errorf("%+v", b)
	}
	if len(b.BySecond) != 11 || b.BySecond[0] != 0.045 || b.BySecond[10] != 1 {
		t.Errorf("medians by second %v", b.BySecond)
	}
}

func TestReportIsShown(t *testing.T) {
	r := sampleReport()
	if err := figures.CheckTables(r.print,
		"7498 nodes, 1000 pods that nothing fits, 10 new ones a second for 2m0s; 2 CPUs",
		"| default sampling, nobody waits | 10 | **0.500** | 0.250 to 0.750 | 0.000 to 1.000 | "+
			"**0.990** | 3 of 101 | 98.8 | 0.54 |\n",
		"| default sampling, refused by kube-scheduler itself | 10 | **1.500** |",
		"| default sampling, refused by kube-scheduler itself | 10 | 1 | **3.00** | 3.00 to 3.00 | "+
			"3.00 to 3.00 | **1.00** | 1.00 to 1.00 | 1.00 to 1.00 |\n",
		"| as shipped, refused by Berth | 0 | **0.500** |",
	); err != nil {
		t.Error(err)
	}
	if err := figures.CheckPicture(r.draw, "wait in s: default sampling, nobody waits",
		"7498 nodes, 1000 pods wait; 2 CPUs"); err != nil {
		t.Error(err)
	}
	if err := figures.CheckReadBack(r); err != nil {
		t.Error(err)
	}
}
