package main

import (
	"context"

	"berth.dev/berth/tests/bench/figures"
	"berth.dev/berth/tests/e2e/spread"
)

// outcome is what a run measured.
type outcome struct {
	PodsPerSecond float64       `json:"podsPerSecond"`
	SchedulerCPU  float64       `json:"schedulerCPUMillisecondsPerPod"`
	BerthCPU      float64       `json:"berthCPUMillisecondsPerPod,omitempty"`
	Berth         *berthOutcome `json:"berth,omitempty"` // nil in ways without Berth
}

// report is all that was measured.
type report struct {
	Machine figures.Machine `json:"machine"`
	Nodes   int             `json:"nodes"`
	Seed    uint64          `json:"seed"`
	Loads   []loadReport    `json:"loads"`
}

// loadReport is what the ways did with a load, in the order in which they were named.
type loadReport struct {
	Name  string      `json:"name"`
	Title string      `json:"title"`
	Pods  int         `json:"pods"`
	Ways  []wayReport `json:"ways"`
}

// wayReport is what a way did with a load, round by round.
type wayReport struct {
	Way           string         `json:"way"`
	PodsPerSecond spread.Spread  `json:"podsPerSecond"`
	Ratio         *spread.Spread `json:"ratio,omitempty"` // to the first way; nil for that
	Ratios        []float64      `json:"ratios,omitempty"`
	Runs          []outcome      `json:"runs"`
}

func newReport(ctx context.Context, o options) (report, error) {
	m, err := figures.ThisMachine(ctx)
	return report{Machine: m, Nodes: o.nodes, Seed: o.seed}, err
}

func newLoadReport(l load, pods int, ways []way, outcomes [][]outcome) loadReport {
	result := loadReport{Name: l.name, Title: l.title, Pods: pods}
	for i, w := range ways {
		entry := wayReport{Way: w.name, Runs: outcomes[i], PodsPerSecond: spread.Of(rates(outcomes[i]))}
		if i > 0 {
			entry.Ratios = spread.Ratios(rates(outcomes[i]), rates(outcomes[0]))
			ratio := spread.Of(entry.Ratios)
			entry.Ratio = &ratio
		}
		result.Ways = append(result.Ways, entry)
	}
	return result
}

func rates(runs []outcome) []float64 {
	return valuesOf(runs, func(o outcome) float64 { return o.PodsPerSecond })
}

func valuesOf(runs []outcome, value func(outcome) float64) []float64 {
	var values []float64
	for _, o := range runs {
		values = append(values, value(o))
	}
	return values
}
