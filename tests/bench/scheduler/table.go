package main

import (
	"fmt"
	"io"
	"strings"

	"berth.dev/berth/tests/bench/figures"
	"berth.dev/berth/tests/e2e/spread"
)

// print writes the figures as tables in Markdown.
func (r report) print(out io.Writer) error {
	var text strings.Builder
	fmt.Fprintf(&text, "%d nodes, %d rounds; %s\n", r.Nodes, r.rounds(), r.Machine)
	r.writeRates(&text)
	r.writeBerth(&text)
	_, err := io.WriteString(out, text.String())
	return err
}

func (r report) rounds() int {
	if len(r.Loads) == 0 {
		return 0
	}
	return len(r.Loads[0].Ways[0].Runs)
}

func (r report) writeRates(text *strings.Builder) {
	table := figures.NewTable("load", "way", "pods/s", figures.SpreadColumns, "ratio",
		figures.SpreadColumns, "kube-scheduler's CPU ms/pod")
	for _, l := range r.Loads {
		for _, w := range l.Ways {
			ratio := " | |" // the first way's own
			if w.Ratio != nil {
				ratio = figures.Cells("%.2f", *w.Ratio)
			}
			table.Row(fmt.Sprintf("%s, %d pods", l.Title, l.Pods), w.Way,
				figures.Cells("%.1f", w.PodsPerSecond), ratio,
				median(w.Runs, func(o outcome) float64 { return o.SchedulerCPU }))
		}
	}
	fmt.Fprint(text, table, "\nRatios are to the first way of the load, round by round.\n")
}

func median(runs []outcome, value func(outcome) float64) string {
	return fmt.Sprintf("%.2f", spread.Quantile(valuesOf(runs, value), 0.5))
}

// berthColumns are what Berth says of itself.
var berthColumns = []struct {
	title string
	value func(outcome) float64
}{
	{"filter p50 ms", func(o outcome) float64 { return o.Berth.FilterP50 }},
	{"p99 ms", func(o outcome) float64 { return o.Berth.FilterP99 }},
	{"prioritize p50 ms", func(o outcome) float64 { return o.Berth.PrioritizeP50 }},
	{"p99 ms", func(o outcome) float64 { return o.Berth.PrioritizeP99 }},
	{"CPU ms/pod", func(o outcome) float64 { return o.BerthCPU }},
	{"resident MiB", func(o outcome) float64 { return o.Berth.ResidentMiB }},
	{"ready after s", func(o outcome) float64 { return o.Berth.ReadySeconds }},
}

func (r report) writeBerth(text *strings.Builder) {
	titles := []string{"load", "way"}
	for _, column := range berthColumns {
		titles = append(titles, column.title)
	}
	table := figures.NewTable(titles...)
	for _, l := range r.Loads {
		for _, w := range l.Ways {
			if w.Runs[0].Berth == nil {
				continue
			}
			row := []string{l.Title, w.Way}
			for _, column := range berthColumns {
				row = append(row, median(w.Runs, column.value))
			}
			table.Row(row...)
		}
	}
	fmt.Fprint(text, table, "\nBerth's own time, without TLS and client; medians of the rounds.\n")
}
