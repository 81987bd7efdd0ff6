package faults

import (
	"context"
	"fmt"
	"io"
	"strings"

	"berth.dev/berth/tests/bench/figures"
)

// outcome is what a run measured: seconds, and numbers of pods and nodes.
type outcome struct {
	LastBinding   float64 `json:"lastBindingSeconds"` // since the first creation
	WaitP99       float64 `json:"waitSecondsP99"`     // from a pod's creation to its binding
	Broken        int     `json:"broken"`             // pods on nodes that Berth could know to be broken
	InFlight      int     `json:"inFlight"`           // pods on nodes that broke after it had decided
	Unclear       int     `json:"unclear"`            // pods of whom nobody can tell which of the two
	Lost          int     `json:"lost"`               // pods that are gone, or have no node in the end
	Overcommitted int     `json:"overcommitted"`      // nodes of which pods request more than there is
	Nominated     int     `json:"nominated"`          // pods that were nominated at least once

	Details []string `json:"details,omitempty"` // who is lost, and why; what is overcommitted
}

func (o outcome) String() string {
	said := fmt.Sprintf("last binding after %.1f s, wait p99 %.2f s; %d on broken nodes, %d in flight, "+
		"%d unclear, %d lost, %d overcommitted, %d nominated", o.LastBinding, o.WaitP99, o.Broken,
		o.InFlight, o.Unclear, o.Lost, o.Overcommitted, o.Nominated)
	return strings.Join(append([]string{said}, o.Details...), "\n  ")
}

// report is all that was measured.
type report struct {
	Machine figures.Machine `json:"machine"`
	Nodes   int             `json:"nodes"`
	Pods    int             `json:"pods"`
	Away    string          `json:"apiServerAway"`
	Way     string          `json:"way"`
	Seed    uint64          `json:"seed"`
	Faults  []faultReport   `json:"faults"`
}

// faultReport is what a fault did, round by round.
type faultReport struct {
	Fault string                `json:"fault"`
	Title string                `json:"title"`
	Runs  figures.Runs[outcome] `json:"runs"`
}

func newReport(ctx context.Context, o options) (report, error) {
	m, err := figures.ThisMachine(ctx)
	r := report{Machine: m, Nodes: o.nodes, Pods: o.pods, Away: o.away.String(), Way: o.way.Name,
		Seed: o.seed}
	for _, f := range o.faults {
		r.Faults = append(r.Faults, faultReport{Fault: f.name, Title: f.title})
	}
	return r, err
}

// sums are columns of which every round counts.
var sums = []struct {
	title string
	value func(outcome) int
}{
	{"on broken nodes", func(o outcome) int { return o.Broken }},
	{"in flight", func(o outcome) int { return o.InFlight }},
	{"unclear", func(o outcome) int { return o.Unclear }},
	{"lost", func(o outcome) int { return o.Lost }},
	{"overcommitted", func(o outcome) int { return o.Overcommitted }},
	{"nominated", func(o outcome) int { return o.Nominated }},
}

// print writes the figures as a table in Markdown.
func (r report) print(out io.Writer) error {
	var text strings.Builder
	fmt.Fprintf(&text, "%d pods at once, %d nodes, %s, kube-apiserver away for %s; %s\n", r.Pods, r.Nodes,
		r.Way, r.Away, r.Machine)
	titles := []string{"fault", "rounds", "last binding s", figures.SpreadColumns, "wait p99 s"}
	for _, each := range sums {
		titles = append(titles, each.title)
	}
	table := figures.NewTable(titles...)
	for _, f := range r.Faults {
		if len(f.Runs) == 0 {
			continue
		}
		row := []string{f.Title, fmt.Sprint(len(f.Runs)),
			f.Runs.Cells("%.1f", func(o outcome) float64 { return o.LastBinding }),
			f.Runs.Median("%.2f", func(o outcome) float64 { return o.WaitP99 })}
		for _, each := range sums {
			row = append(row, fmt.Sprint(f.Runs.Sum(each.value)))
		}
		table.Row(row...)
	}
	fmt.Fprint(&text, table, "\nTimes are medians of the rounds, numbers their sums.\n")
	_, err := io.WriteString(out, text.String())
	return err
}
