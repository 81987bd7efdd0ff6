package main

import (
	"math"
	"strings"
	"testing"
	"time"

	"berth.dev/berth/tests/e2e/box"
)

// run100 is a run of 100 samples, ten seconds apart, with so many KiB at each.
func run100(residentKiB func(i int) int) []sample {
	var samples []sample
	for i := range 100 {
		samples = append(samples, sample{Seconds: 10 * float64(i),
			Usage: box.Usage{ResidentKiB: residentKiB(i)}})
	}
	return samples
}

func TestTrend(t *testing.T) {
	const mib = 1024
	cases := []struct {
		name      string
		memory    func(i int) int
		growthMiB float64
		flat      bool
	}{
		{"constant", func(int) int { return 40 * mib }, 0, true},
		{"grows while it warms up", func(i int) int { return 20*mib + min(i, 20)*mib }, 0, true},
		{"noise", func(i int) int { return 40*mib + i%2*mib }, 0, true},
		{"shrinks", func(i int) int { return 40*mib - i*100 }, -7.7, true},
		{"leaks", func(i int) int { return 40*mib + i*mib/10 }, 7.9, false},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			trend, err := trendOf(run100(c.memory))
			if err != nil {
				t.Fatal(err)
			}
			if math.Abs(trend.growthMiB-c.growthMiB) > 0.1 {
				t.Errorf("%v, want a growth of %v MiB", trend, c.growthMiB)
			}
			if err := trend.verdict(); (err == nil) != c.flat {
				t.Errorf("flat: %v (%v), want %v", err == nil, err, c.flat)
			}
		})
	}
}

func TestTooFewSamplesTellNothing(t *testing.T) {
	_, err := trendOf(make([]sample, 2))
	if err == nil || !strings.Contains(err.Error(), "run longer") {
		t.Errorf("error %v does not say what to do", err)
	}
}

func TestIdleSoakProvesNothing(t *testing.T) {
	samples := run100(func(int) int { return 1 })
	if err := busy(samples, 1000*time.Second); err == nil {
		t.Error("no error although no pod was scheduled")
	}
	for i := range samples {
		samples[i].FilterCalls = 10 / podInterval.Seconds() // all that come in ten seconds
	}
	if err := busy(samples, 1000*time.Second); err != nil {
		t.Error(err)
	}
}
