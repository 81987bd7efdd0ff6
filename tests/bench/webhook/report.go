package main

import (
	"fmt"
	"io"
	"strings"

	"berth.dev/berth/tests/bench/figures"
	"berth.dev/berth/tests/e2e/plot"
	"berth.dev/berth/tests/e2e/spread"
)

// report is all that was measured.
type report struct {
	Machine figures.Machine `json:"machine"`
	Pods    int             `json:"pods"`    // in a block
	Workers int             `json:"workers"` // pods that are being created at a time
	Works   []workReport    `json:"works"`
}

// workReport is what the ways did with a kind of pods, in the order in which they are compared.
type workReport struct {
	Work string      `json:"work"`
	Ways []wayReport `json:"ways"`
}

// wayReport is what a way did, round by round.
type wayReport struct {
	Way           string         `json:"way"`
	PodsPerSecond spread.Spread  `json:"podsPerSecond"`
	Ratio         *spread.Spread `json:"ratio,omitempty"` // to the first way; nil for that
	CPU           spread.Spread  `json:"apiServerCPUMillisecondsPerPod"`
	EachRate      []float64      `json:"eachPodsPerSecond"`
	EachRatio     []float64      `json:"eachRatio,omitempty"`
	EachCPU       []float64      `json:"eachAPIServerCPUMillisecondsPerPod"`
}

func newWorkReport(work string, ways []*way) workReport {
	result := workReport{Work: work}
	for i, w := range ways {
		entry := wayReport{Way: w.name, PodsPerSecond: spread.Of(w.rates), CPU: spread.Of(w.costs),
			EachRate: w.rates, EachCPU: w.costs}
		if i > 0 {
			entry.EachRatio = spread.Ratios(w.rates, ways[0].rates)
			ratio := spread.Of(entry.EachRatio)
			entry.Ratio = &ratio
		}
		result.Ways = append(result.Ways, entry)
	}
	return result
}

// print writes the figures as a table in Markdown for each work.
func (r report) print(out io.Writer) error {
	var text strings.Builder
	fmt.Fprintf(&text, "blocks of %d pods, %d at a time; %s\n", r.Pods, r.Workers, r.Machine)
	for _, work := range r.Works {
		table := figures.NewTable(work.Work, "", figures.SpreadColumns)
		for _, w := range work.Ways {
			table.Row(w.Way+", pods/s", figures.Cells("%.0f", w.PodsPerSecond))
		}
		for _, w := range work.Ways[1:] {
			table.Row(w.Way+" : "+work.Ways[0].Way, figures.Cells("%.2f", *w.Ratio))
		}
		for _, w := range work.Ways {
			table.Row(w.Way+", kube-apiserver's CPU ms/pod", figures.Cells("%.2f", w.CPU))
		}
		fmt.Fprintf(&text, "%s\n%d rounds.\n", table, len(work.Ways[0].EachRate))
	}
	_, err := io.WriteString(out, text.String())
	return err
}

// colours of the ways, in their order.
var colours = []string{"#6d597a", "#c8553d", "#1f6f8b", "#588157", "#b08968"}

// draw shows every round of every work: pods a second, then what they cost kube-apiserver.
func (r report) draw(out io.Writer) error {
	var panels []plot.Panel
	for _, work := range r.Works {
		rates := plot.Rows{Title: "pods/s: " + work.Work}
		costs := plot.Rows{Title: "kube-apiserver's CPU for each of them, ms"}
		for i, w := range work.Ways {
			colour := colours[i%len(colours)]
			rates.Rows = append(rates.Rows, plot.Row{Name: w.Way, Colour: colour, Values: w.EachRate})
			costs.Rows = append(costs.Rows,
				plot.Row{Name: w.Way, Colour: colour, Values: w.EachCPU})
		}
		panels = append(panels, rates, costs)
	}
	caption := fmt.Sprintf("%d CPUs for all, %s", r.Machine.CPUs,
		r.Machine.Versions["kube-apiserver"])
	return plot.Draw(out, caption, panels...)
}
