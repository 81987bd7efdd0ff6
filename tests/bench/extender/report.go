package main

import (
	"berth.dev/berth/tests/bench/figures"
	"berth.dev/berth/tests/e2e/spread"
)

// report is all that was measured. What was not is left out.
type report struct {
	Machine figures.Machine `json:"machine"`
	Nodes   int             `json:"nodes"`
	Seed    uint64          `json:"seed"`
	Starts  []started       `json:"starts,omitempty"` // on the real cluster, without pods
	Answers []answers       `json:"answers,omitempty"`
	Changes []change        `json:"changes,omitempty"`
	Sizes   []sized         `json:"sizes,omitempty"`
	Memory  *filled         `json:"memory,omitempty"`
}

// figure is one of the numbers that are measured many times.
type figure[T any] struct {
	title  string
	format string
	value  func(T) float64
}

// roundFigures are those of answers, at first Berth's.
var roundFigures = []figure[round]{
	{"Berth p50 ms", "%.3f", func(r round) float64 { return r.BerthP50 }},
	{"Berth p99 ms", "%.3f", func(r round) float64 { return r.BerthP99 }},
	{"caller p50 ms", "%.3f", func(r round) float64 { return r.CallerP50 }},
	{"caller p99 ms", "%.3f", func(r round) float64 { return r.CallerP99 }},
}

var startFigures = []figure[started]{
	{"ready after s", "%.2f", func(s started) float64 { return s.ReadySeconds }},
	{"Berth's CPU s until then", "%.2f", func(s started) float64 { return s.CPUSeconds }},
	{"resident MiB, listed", "%.1f", func(s started) float64 { return s.ResidentMiB }},
	{"resident MiB, asked", "%.1f", func(s started) float64 { return s.AskedResidentMiB }},
}

var changeFigures = []figure[change]{
	{"the watch has the event", "%.2f", func(c change) float64 { return c.Seen }},
	{"Berth refuses the node", "%.2f", func(c change) float64 { return c.Refused }},
	{"refused after the event", "%.2f", change.late},
	{"an answer", "%.2f", func(c change) float64 { return c.Asking }},
}

// of are the values of all measurements.
func (f figure[T]) of(all []T) []float64 {
	var values []float64
	for _, each := range all {
		values = append(values, f.value(each))
	}
	return values
}

// known tells whether it was measured at all.
func (f figure[T]) known(all []T) bool { return len(all) > 0 && spread.Of(f.of(all)).Max > 0 }

// median is that of rounds.
func (f figure[T]) median(all []T) float64 { return spread.Quantile(f.of(all), 0.5) }
