package main

import (
	"context"
	"fmt"

	"berth.dev/berth/tests/bench/figures"
	"berth.dev/berth/tests/e2e/spread"
)

// outcome is what a run measured. CPU is in milliseconds a pod, from the first creation to the last
// binding.
type outcome struct {
	PodsPerSecond    float64       `json:"podsPerSecond"` // from the first creation to the last binding
	LastBinding      float64       `json:"lastBindingSeconds"`
	WaitP50          float64       `json:"waitSecondsP50"` // from a pod's creation to its binding
	WaitP99          float64       `json:"waitSecondsP99"`
	CreatedPerSecond float64       `json:"createdPerSecond"`
	Refused          int           `json:"refused"`   // pods that found no node at least once
	Nominated        int           `json:"nominated"` // pods that were nominated at least once
	SchedulerCPU     float64       `json:"schedulerCPUMillisecondsPerPod"`
	BerthCPU         float64       `json:"berthCPUMillisecondsPerPod,omitempty"`
	ControllerCPU    float64       `json:"controllerCPUMillisecondsPerPod,omitempty"`
	APIServerCPU     float64       `json:"apiServerCPUMillisecondsPerPod"`
	Berth            *berthOutcome `json:"berth,omitempty"` // nil in ways without Berth
}

func (o outcome) String() string {
	return fmt.Sprintf("%.1f pods/s, last binding after %.2f s, wait p50 %.3f s, p99 %.3f s, created "+
		"%.0f/s, %d refused, %d nominated", o.PodsPerSecond, o.LastBinding, o.WaitP50, o.WaitP99,
		o.CreatedPerSecond, o.Refused, o.Nominated)
}

// report is all that was measured.
type report struct {
	Machine figures.Machine `json:"machine"`
	Nodes   []int           `json:"nodes"`
	Seed    uint64          `json:"seed"`
	Loads   []loadReport    `json:"loads"`
}

// loadReport is what the contenders did with a load, in the order in which they were named.
type loadReport struct {
	Name  string      `json:"name"`
	Title string      `json:"title"`
	Pods  int         `json:"pods"`
	Pace  string      `json:"pace"`
	Ways  []wayReport `json:"ways"`
}

// wayReport is what a contender did with a load, round by round.
type wayReport struct {
	Way           string                `json:"way"`
	PodsPerSecond spread.Spread         `json:"podsPerSecond"`
	Ratios        []ratioReport         `json:"ratios,omitempty"` // to each that was named before
	Runs          figures.Runs[outcome] `json:"runs"`
}

// ratioReport compares pods a second of the same rounds.
type ratioReport struct {
	To     string        `json:"to"`
	Spread spread.Spread `json:"spread"`
	Each   []float64     `json:"each"`
}

func newReport(ctx context.Context, o options) (report, error) {
	m, err := figures.ThisMachine(ctx)
	return report{Machine: m, Nodes: o.nodes, Seed: o.seed}, err
}

func newLoadReport(l load, o options, all []contender, outcomes [][]outcome) loadReport {
	result := loadReport{Name: l.name, Title: l.title, Pods: l.count(o), Pace: l.pace(o.rate).String()}
	for i, c := range all {
		entry := wayReport{Way: c.name, Runs: outcomes[i], PodsPerSecond: spread.Of(rates(outcomes[i]))}
		for before := range i {
			each := spread.Ratios(rates(outcomes[i]), rates(outcomes[before]))
			entry.Ratios = append(entry.Ratios,
				ratioReport{To: all[before].name, Spread: spread.Of(each), Each: each})
		}
		result.Ways = append(result.Ways, entry)
	}
	return result
}

func rates(runs []outcome) []float64 {
	return figures.Runs[outcome](runs).Values(func(o outcome) float64 { return o.PodsPerSecond })
}
