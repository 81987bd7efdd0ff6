package main

import (
	"io"
	"strings"
	"testing"
	"time"

	"berth.dev/berth/tests/bench/figures"
	"berth.dev/berth/tests/e2e/box"
)

// compared has a pair for every two rates.
func compared(quiet, attacked []float64) *result {
	r := &result{assault: "mutes", alone: pressure{cores: 0.125, arrivals: 50}}
	for i := range quiet {
		r.add([]int{8}, []sample{{rate: quiet[i], pressure: pressure{cores: 0.5}}},
			[]sample{{rate: attacked[i], pressure: pressure{cores: 0.6, arrivals: 40}}})
	}
	return r
}

func TestVerdictIsOnMedianOfPairs(t *testing.T) {
	quiet := []float64{100, 200, 100}
	fine, slow := compared(quiet, []float64{95, 180, 20}), compared(quiet, []float64{89, 200, 80})
	if err := verdict([]*result{fine}); err != nil {
		t.Error(err)
	}
	err := verdict([]*result{fine, slow})
	if want := "mutes: filter of 8 names keeps 0.89"; err == nil || err.Error()[:len(want)] != want {
		t.Errorf("error %v, want %q", err, want)
	}
}

func TestReportIsShown(t *testing.T) {
	results := []*result{compared([]float64{100, 200, 400}, []float64{50, 180, 400})}
	if err := figures.CheckTables(func(w io.Writer) error { return printTables(w, results) },
		"| mutes | 50 | 0.125 |\n",
		"| mutes | 8 names | 200 | 180 | **0.90** | 0.70 to 0.95 | 0.50 to 1.00 | 2.500 | 3.333 | "+
			"2.639 | 40 |\n",
	); err != nil {
		t.Error(err)
	}
}

func TestPressureIsPerSecond(t *testing.T) {
	begin := reading{at: time.Unix(100, 0), cpu: 7, arrived: 1000}
	end := reading{at: time.Unix(104, 0), cpu: 9, arrived: 1200}
	if got, want := end.since(begin), (pressure{cores: 0.5, arrivals: 50}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
}

func TestPeakOfMemoryIsJudged(t *testing.T) {
	before := box.Usage{ResidentKiB: 40 << 10, PeakKiB: 60 << 10}
	cases := []struct {
		peakMiB int
		want    string // in the error; empty: none
	}{
		{60, ""}, {40 + 192, ""}, {40 + 193, "memory peaked 193 MiB above"},
	}
	for _, c := range cases {
		var out strings.Builder
		err := reportMemory(&out, before, box.Usage{ResidentKiB: 40 << 10, PeakKiB: c.peakMiB << 10})
		if (err != nil) != (c.want != "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("peak of %d MiB: error %v, want %q", c.peakMiB, err, c.want)
		}
		if want := "40 MiB resident before the attacks"; !strings.Contains(out.String(), want) {
			t.Errorf("no %q in %s", want, out.String())
		}
	}
}
