package packing

import (
	"strings"
	"testing"

	"berth.dev/berth/tests/bench/figures"
)

func TestChoices(t *testing.T) {
	if good, err := parse([]string{"-ways", "berth"}); err != nil || len(good.ways) != 1 {
		t.Errorf("%+v (%v)", good, err)
	}
	for _, c := range []struct{ flag, value, advice string }{
		{"-nodes", "49", "-nodes must be 50 or more"},
		{"-rate", "0", "-rate above 0"},
		{"-quiet", "1ms", "-quiet 1s or more"},
		{"-patience", "20s", "-patience more than that"},
		{"-ways", "best", "is no way"},
	} {
		_, err := parse([]string{c.flag, c.value})
		if err == nil || !strings.Contains(err.Error(), c.advice) {
			t.Errorf("%s %s: error %v does not say %q", c.flag, c.value, err, c.advice)
		}
	}
}

func TestReportIsShown(t *testing.T) {
	r := report{Machine: figures.Machine{CPUs: 2}, Nodes: 7498, Rate: 200, Ways: []wayReport{
		{Way: "berth", Runs: []outcome{
			{Stranded: 100, ByModel: map[string]int64{"V100": 100}, Pods: 9000, Waiting: 30},
			{Stranded: 300, Pods: 9000, Waiting: 50, WholeNode: 8, Nominated: 6, LastBinding: 90}}},
		{Way: "alone"}}}
	if err := figures.CheckTables(r.print, "7498 nodes, 200 pods/s; 2 CPUs",
		"| berth | 2 | **200** | 150 to 250 | 100 to 300 | 9000 | 40 | 4 | 3 | 45 |\n",
	); err != nil {
		t.Error(err)
	}
	if err := figures.CheckReadBack(r); err != nil {
		t.Error(err)
	}
}
