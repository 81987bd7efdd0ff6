package main

import (
	"fmt"
	"io"
	"strings"

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
	text.WriteString("\n| load | way | pods/s | quartiles | min to max | ratio | quartiles | " +
		"min to max | kube-scheduler's CPU ms/pod |\n|---|---|---|---|---|---|---|---|---|\n")
	for _, l := range r.Loads {
		for _, w := range l.Ways {
			ratio := " | |" // the first way's own
			if w.Ratio != nil {
				ratio = cells("%.2f", *w.Ratio)
			}
			fmt.Fprintf(text, "| %s, %d pods | %s | %s | %s | %.2f |\n", l.Title, l.Pods, w.Way,
				cells("%.1f", w.PodsPerSecond), ratio,
				median(w.Runs, func(o outcome) float64 { return o.SchedulerCPU }))
		}
	}
	text.WriteString("\nRatios are to the first way of the load, round by round.\n")
}

// cells are three columns without the outer bars.
func cells(format string, s spread.Spread) string {
	between := fmt.Sprintf("%s to %s", format, format)
	return strings.Join([]string{"**" + fmt.Sprintf(format, s.Median) + "**",
		fmt.Sprintf(between, s.LowerQuartile, s.UpperQuartile), fmt.Sprintf(between, s.Min, s.Max)},
		" | ")
}

func median(runs []outcome, value func(outcome) float64) float64 {
	return spread.Quantile(valuesOf(runs, value), 0.5)
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
	text.WriteString("\n| load | way |")
	for _, column := range berthColumns {
		fmt.Fprintf(text, " %s |", column.title)
	}
	fmt.Fprintf(text, "\n|---|---|%s\n", strings.Repeat("---|", len(berthColumns)))
	for _, l := range r.Loads {
		for _, w := range l.Ways {
			if w.Runs[0].Berth == nil {
				continue
			}
			fmt.Fprintf(text, "| %s | %s |", l.Title, w.Way)
			for _, column := range berthColumns {
				fmt.Fprintf(text, " %.2f |", median(w.Runs, column.value))
			}
			text.WriteByte('\n')
		}
	}
	text.WriteString("\nBerth's own time, without TLS and client; medians of the rounds.\n")
}
