package packing

import (
	"context"
	"fmt"
	"io"
	"strings"

	"berth.dev/berth/tests/bench/figures"
	"berth.dev/berth/tests/bench/placing"
	"berth.dev/berth/tests/e2e/stranded"
)

// outcome is what a run left: numbers of devices and pods.
type outcome struct {
	Stranded    int64            `json:"stranded"`
	ByModel     map[string]int64 `json:"strandedByModel"`
	Pods        int              `json:"pods"`
	Waiting     int              `json:"waiting"`
	WholeNode   int              `json:"wholeNode"` // pods that got a whole node
	Nominated   int              `json:"nominated"`
	LastBinding float64          `json:"lastBindingSeconds"`
}

func newOutcome(h stranded.Holding, became placing.Outcome) outcome {
	return outcome{Stranded: h.Total(), ByModel: h.Stranded, Pods: len(became.Waits),
		Waiting: h.Waiting, WholeNode: h.Whole, Nominated: became.Nominated,
		LastBinding: became.Last.Seconds()}
}

func (o outcome) String() string {
	return fmt.Sprintf("%d devices stranded %v, %d of %d pods wait, %d have a whole node, %d were "+
		"nominated, last binding after %.0f s", o.Stranded, o.ByModel, o.Waiting, o.Pods, o.WholeNode,
		o.Nominated, o.LastBinding)
}

// report is all that was measured.
type report struct {
	Machine figures.Machine `json:"machine"`
	Nodes   int             `json:"nodes"`
	Rate    float64         `json:"podsPerSecond"`
	Seed    uint64          `json:"seed"`
	Ways    []wayReport     `json:"ways"`
}

// wayReport is what a way left, round by round.
type wayReport struct {
	Way  string                `json:"way"`
	Runs figures.Runs[outcome] `json:"runs"`
}

func newReport(ctx context.Context, o options) (report, error) {
	m, err := figures.ThisMachine(ctx)
	r := report{Machine: m, Nodes: o.nodes, Rate: o.rate, Seed: o.seed}
	for _, w := range o.ways {
		r.Ways = append(r.Ways, wayReport{Way: w.Name})
	}
	return r, err
}

// print writes the figures as a table in Markdown.
func (r report) print(out io.Writer) error {
	var text strings.Builder
	fmt.Fprintf(&text, "%d nodes, %g pods/s; %s\n", r.Nodes, r.Rate, r.Machine)
	table := figures.NewTable("way", "rounds", "devices stranded", figures.SpreadColumns, "pods",
		"waiting", "whole nodes", "nominated", "last binding s")
	for _, w := range r.Ways {
		if len(w.Runs) == 0 {
			continue
		}
		median := func(of func(outcome) float64) string { return w.Runs.Median("%.0f", of) }
		table.Row(w.Way, fmt.Sprint(len(w.Runs)),
			w.Runs.Cells("%.0f", func(o outcome) float64 { return float64(o.Stranded) }),
			median(func(o outcome) float64 { return float64(o.Pods) }),
			median(func(o outcome) float64 { return float64(o.Waiting) }),
			median(func(o outcome) float64 { return float64(o.WholeNode) }),
			median(func(o outcome) float64 { return float64(o.Nominated) }),
			median(func(o outcome) float64 { return o.LastBinding }))
	}
	fmt.Fprint(&text, table, "\nMedians of the rounds.\n")
	_, err := io.WriteString(out, text.String())
	return err
}
