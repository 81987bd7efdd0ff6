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
	fmt.Fprintf(&text, "%s\n", r.Machine)
	r.writeAnswers(&text)
	r.writeSizes(&text)
	r.writeStarts(&text)
	r.writeChanges(&text)
	_, err := io.WriteString(out, text.String())
	return err
}

// views are the two ways to look at answers, each with its p50 and p99.
var views = []struct {
	title    string
	p50, p99 figure[round]
}{
	{"Berth's own time", roundFigures[0], roundFigures[1]},
	{"As the caller sees it, over TLS", roundFigures[2], roundFigures[3]},
}

func (r report) writeAnswers(text *strings.Builder) {
	for _, view := range views {
		table := figures.NewTable(view.title, "nodes", "asked", "p50 ms", figures.SpreadColumns,
			"p99 ms", figures.SpreadColumns)
		rounds := 0
		for _, a := range r.Answers {
			if view.p50.known(a.Rounds) {
				rounds = len(a.Rounds)
				table.Row(a.Who+", "+a.Verb, a.nodes(), a.How,
					figures.Cells(view.p50.format, spread.Of(view.p50.of(a.Rounds))),
					figures.Cells(view.p99.format, spread.Of(view.p99.of(a.Rounds))))
			}
		}
		if rounds > 0 {
			fmt.Fprintf(text, "%s\nA cluster of %d nodes, %d rounds.\n", table, r.Nodes, rounds)
		}
	}
}

func (a answers) nodes() string {
	if a.Nodes == 0 {
		return "that fit"
	}
	return fmt.Sprint(a.Nodes)
}

func (r report) writeSizes(text *strings.Builder) {
	if len(r.Sizes) == 0 {
		return
	}
	titles := []string{"nodes", "request KB"}
	for _, f := range roundFigures {
		titles = append(titles, f.title)
	}
	table := figures.NewTable(append(titles, "caller p50 ns/name", "MiB, listed", "MiB, asked",
		"ready after s")...)
	for _, s := range r.Sizes {
		row := []string{fmt.Sprint(s.Nodes), fmt.Sprintf("%.0f", float64(s.Filter.RequestBytes)/1000)}
		for _, f := range roundFigures {
			row = append(row, withEnds(f.format, f.of(s.Filter.Rounds)))
		}
		perName := 1e6 * roundFigures[2].median(s.Filter.Rounds) / float64(s.Nodes)
		table.Row(append(row, fmt.Sprintf("%.0f", perName), fmt.Sprintf("%.1f", s.ResidentMiB),
			fmt.Sprintf("%.1f", s.AskedResidentMiB), fmt.Sprintf("%.2f", s.ReadySeconds))...)
	}
	fmt.Fprintf(text, "%s\nfilter with all names; medians of %d rounds (min to max).\n", table,
		len(r.Sizes[0].Filter.Rounds))
}

// withEnds is the median with the ends.
func withEnds(format string, values []float64) string {
	s := spread.Of(values)
	return fmt.Sprintf("**"+format+"** ("+format+" to "+format+")", s.Median, s.Min, s.Max)
}

func (r report) writeStarts(text *strings.Builder) {
	table := figures.NewTable("API server", "nodes", "pods", "", "median", figures.SpreadColumns)
	add := func(server string, pods int, starts []started) {
		for _, f := range startFigures {
			if f.known(starts) {
				table.Row(server, fmt.Sprint(r.Nodes), fmt.Sprint(pods), f.title,
					figures.Cells(f.format, spread.Of(f.of(starts))))
			}
		}
	}
	add("kube-apiserver", 0, r.Starts)
	count := len(r.Starts)
	if r.Memory != nil {
		add("generated", r.Memory.Pods, r.Memory.Starts)
		add("generated, the controller", r.Memory.Pods, r.Memory.Controller)
		count = max(count, len(r.Memory.Starts))
	}
	if count > 0 {
		fmt.Fprintf(text, "%s\n%d starts.\n", table, count)
	}
}

func (r report) writeChanges(text *strings.Builder) {
	if len(r.Changes) == 0 {
		return
	}
	table := figures.NewTable("ms", "p50", "p99", "quartiles", "min to max")
	for _, f := range changeFigures {
		values := f.of(r.Changes)
		s := spread.Of(values)
		between := f.format + " to " + f.format
		table.Row(f.title, fmt.Sprintf("**"+f.format+"**", s.Median),
			fmt.Sprintf("**"+f.format+"**", spread.Quantile(values, 0.99)),
			fmt.Sprintf(between, s.LowerQuartile, s.UpperQuartile), fmt.Sprintf(between, s.Min, s.Max))
	}
	fmt.Fprintf(text, "%s\n%d changes.\n", table, len(r.Changes))
}
