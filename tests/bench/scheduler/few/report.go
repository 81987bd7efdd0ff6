package few

import (
	"context"
	"fmt"
	"io"
	"strings"

	"berth.dev/berth/tests/bench/figures"
	"berth.dev/berth/tests/bench/placing"
)

// outcome is what a run measured. Waits, in seconds, are from a pod's creation to its binding, or
// to the end where it has no node.
type outcome struct {
	WaitP50   float64 `json:"waitSecondsP50"` // of pods that few nodes fit
	WaitP99   float64 `json:"waitSecondsP99"`
	WaitMax   float64 `json:"waitSecondsMax"`
	OthersP99 float64 `json:"othersWaitSecondsP99"`
	Unbound   int     `json:"unbound"`
	Evicted   int     `json:"evicted"` // pods of lower priority
	Refused   int     `json:"refused"` // pods that found no node at least once
	Nominated int     `json:"nominated"`

	Preemptions map[string]int `json:"preemptions,omitempty"` // berth_preemptions_total by outcome

	Details []string `json:"details,omitempty"` // what kube-scheduler says of evictions
}

func (o outcome) String() string {
	said := fmt.Sprintf("wait p50 %.3f s, p99 %.3f s, longest %.3f s, others' p99 %.3f s; %d without "+
		"a node, %d evicted, %d refused, %d nominated; answers to preempt %v", o.WaitP50, o.WaitP99,
		o.WaitMax, o.OthersP99, o.Unbound, o.Evicted, o.Refused, o.Nominated, o.Preemptions)
	return strings.Join(append([]string{said}, o.Details...), "\n  ")
}

// report is all that was measured.
type report struct {
	Machine figures.Machine `json:"machine"`
	Nodes   int             `json:"nodes"`
	Fitting int             `json:"fitting"`
	Pods    int             `json:"pods"`
	Rate    float64         `json:"podsPerSecond"`
	Seed    uint64          `json:"seed"`
	Parts   []part          `json:"parts"`
}

// part is a way beside so many other pods a second.
type part struct {
	Way    string                `json:"way"`
	Others float64               `json:"othersPerSecond"`
	Runs   figures.Runs[outcome] `json:"runs"`

	way placing.Way
}

func newReport(ctx context.Context, o options) (report, error) {
	m, err := figures.ThisMachine(ctx)
	r := report{Machine: m, Nodes: o.nodes, Fitting: o.fitting, Pods: o.pods, Rate: o.rate, Seed: o.seed}
	for _, w := range o.ways {
		for _, others := range o.others {
			r.Parts = append(r.Parts, part{Way: w.Name, Others: others, way: w})
		}
	}
	return r, err
}

// print writes the figures as a table in Markdown.
func (r report) print(out io.Writer) error {
	var text strings.Builder
	fmt.Fprintf(&text, "%d pods, %g/s, that %d of %d nodes fit; %s\n", r.Pods, r.Rate, r.Fitting, r.Nodes,
		r.Machine)
	table := figures.NewTable("way", "others/s", "wait p50 s", "p99 s", figures.SpreadColumns,
		"longest s", "others' p99 s", "without a node", "evicted", "refused", "nominated")
	for _, p := range r.Parts {
		if len(p.Runs) == 0 {
			continue
		}
		median := func(of func(outcome) float64) string { return p.Runs.Median("%.3f", of) }
		sum := func(of func(outcome) int) string { return fmt.Sprint(p.Runs.Sum(of)) }
		table.Row(p.Way, fmt.Sprintf("%g", p.Others),
			median(func(o outcome) float64 { return o.WaitP50 }),
			p.Runs.Cells("%.3f", func(o outcome) float64 { return o.WaitP99 }),
			median(func(o outcome) float64 { return o.WaitMax }),
			median(func(o outcome) float64 { return o.OthersP99 }),
			sum(func(o outcome) int { return o.Unbound }), sum(func(o outcome) int { return o.Evicted }),
			sum(func(o outcome) int { return o.Refused }), sum(func(o outcome) int { return o.Nominated }))
	}
	fmt.Fprint(&text, table, "\nWaits are medians of the rounds, the other figures their sums.\n")
	_, err := io.WriteString(out, text.String())
	return err
}
