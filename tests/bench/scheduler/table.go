package main

import (
	"fmt"
	"io"
	"strings"

	"berth.dev/berth/tests/bench/figures"
)

// print writes the figures as tables in Markdown.
func (r report) print(out io.Writer) error {
	var text strings.Builder
	fmt.Fprintf(&text, "%s nodes, %d rounds; %s\n", join(r.Nodes), r.rounds(), r.Machine)
	r.writeRates(&text)
	r.writeRatios(&text)
	r.writeColumns(&text, "CPU is in milliseconds a pod; all are medians of the rounds.", costColumns,
		func(outcome) bool { return true })
	r.writeColumns(&text, "Berth's extender: its own time, without TLS and client; medians of the "+
		"rounds.", berthColumns, func(o outcome) bool { return o.Berth != nil })
	_, err := io.WriteString(out, text.String())
	return err
}

func join(numbers []int) string { return strings.Trim(fmt.Sprint(numbers), "[]") }

func (r report) rounds() int {
	if len(r.Loads) == 0 {
		return 0
	}
	return len(r.Loads[0].Ways[0].Runs)
}

func (l loadReport) String() string {
	return fmt.Sprintf("%s, %d pods, %s", l.Title, l.Pods, l.Pace)
}

func (r report) writeRates(text *strings.Builder) {
	table := figures.NewTable("load", "way", "pods/s", figures.SpreadColumns, "last binding s",
		figures.SpreadColumns, "wait p50 s", "p99 s")
	for _, l := range r.Loads {
		for _, w := range l.Ways {
			table.Row(l.String(), w.Way, figures.Cells("%.1f", w.PodsPerSecond),
				w.Runs.Cells("%.2f", func(o outcome) float64 { return o.LastBinding }),
				w.Runs.Median("%.3f", func(o outcome) float64 { return o.WaitP50 }),
				w.Runs.Median("%.3f", func(o outcome) float64 { return o.WaitP99 }))
		}
	}
	fmt.Fprint(text, table, "\nPods a second from the first creation to the last binding. Waits, from a "+
		"pod's creation to its binding, are medians of the rounds.\n")
}

func (r report) writeRatios(text *strings.Builder) {
	table := figures.NewTable("load", "way", "to", "ratio of pods/s", figures.SpreadColumns)
	for _, l := range r.Loads {
		for _, w := range l.Ways {
			for _, ratio := range w.Ratios {
				table.Row(l.Title, w.Way, ratio.To, figures.Cells("%.2f", ratio.Spread))
			}
		}
	}
	fmt.Fprint(text, table, "\nRatios are of the same round.\n")
}

// column is one of a table of medians.
type column struct {
	title, format string
	value         func(outcome) float64
}

// costColumns are what a run took, and what became of pods on the way.
var costColumns = []column{
	{"created/s", "%.0f", func(o outcome) float64 { return o.CreatedPerSecond }},
	{"refused", "%.0f", func(o outcome) float64 { return float64(o.Refused) }},
	{"nominated", "%.0f", func(o outcome) float64 { return float64(o.Nominated) }},
	{"kube-scheduler's CPU", "%.2f", func(o outcome) float64 { return o.SchedulerCPU }},
	{"kube-apiserver's", "%.2f", func(o outcome) float64 { return o.APIServerCPU }},
	{"extender's", "%.2f", func(o outcome) float64 { return o.BerthCPU }},
	{"controller's", "%.2f", func(o outcome) float64 { return o.ControllerCPU }},
}

// berthColumns are what Berth's extender says of itself.
var berthColumns = []column{
	{"filter p50 ms", "%.2f", func(o outcome) float64 { return o.Berth.FilterP50 }},
	{"p99 ms", "%.2f", func(o outcome) float64 { return o.Berth.FilterP99 }},
	{"prioritize p50 ms", "%.2f", func(o outcome) float64 { return o.Berth.PrioritizeP50 }},
	{"p99 ms", "%.2f", func(o outcome) float64 { return o.Berth.PrioritizeP99 }},
	{"resident MiB", "%.1f", func(o outcome) float64 { return o.Berth.ResidentMiB }},
	{"ready after s", "%.2f", func(o outcome) float64 { return o.Berth.ReadySeconds }},
}

// writeColumns writes medians of the ways that have these figures.
func (r report) writeColumns(
	text *strings.Builder, caption string, columns []column, has func(outcome) bool,
) {
	titles := []string{"load", "way"}
	for _, each := range columns {
		titles = append(titles, each.title)
	}
	table := figures.NewTable(titles...)
	for _, l := range r.Loads {
		for _, w := range l.Ways {
			if !has(w.Runs[0]) {
				continue
			}
			row := []string{l.Title, w.Way}
			for _, each := range columns {
				row = append(row, w.Runs.Median(each.format, each.value))
			}
			table.Row(row...)
		}
	}
	fmt.Fprintf(text, "%s\n%s\n", table, caption)
}
