package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"berth.dev/berth/tests/bench/figures"
	"berth.dev/berth/tests/e2e/plot"
	"berth.dev/berth/tests/e2e/spread"
)

// wait is of one new pod.
type wait struct {
	at     time.Duration // of its creation, since the first
	waited time.Duration // until the binding was seen
}

// block is what a block measured.
type block struct {
	Pods           int           `json:"pods"`
	Unbound        int           `json:"unbound"` // of them without a node in the end
	Wait           spread.Spread `json:"waitSeconds"`
	WaitP99        float64       `json:"waitSecondsP99"`
	SchedulerCores float64       `json:"schedulerCores"` // CPUs that kube-scheduler used meanwhile
	BerthCores     float64       `json:"berthCores"`
	AsksPerSecond  float64       `json:"filterRequestsPerSecond"`
	BySecond       []float64     `json:"waitSecondsBySecond"` // medians, by when the pod was created
}

// newBlock sums up the waits of new pods, at least one.
func newBlock(waits []wait, unbound int) block {
	var all []float64
	var seconds [][]float64
	for _, w := range waits {
		all = append(all, w.waited.Seconds())
		for len(seconds) <= int(w.at.Seconds()) {
			seconds = append(seconds, nil)
		}
		second := &seconds[int(w.at.Seconds())]
		*second = append(*second, w.waited.Seconds())
	}
	b := block{Pods: len(waits), Unbound: unbound, Wait: spread.Of(all),
		WaitP99: spread.Quantile(all, 0.99)}
	for _, second := range seconds {
		if len(second) > 0 {
			b.BySecond = append(b.BySecond, spread.Quantile(second, 0.5))
		}
	}
	return b
}

func (b block) String() string {
	return fmt.Sprintf("wait p50 %.3f s, p99 %.3f s, %d of %d without a node, %.1f filter requests/s",
		b.Wait.Median, b.WaitP99, b.Unbound, b.Pods, b.AsksPerSecond)
}

// report is all that was measured.
type report struct {
	Machine figures.Machine `json:"machine"`
	Nodes   int             `json:"nodes"`
	Waiting int             `json:"waiting"`
	Rate    int             `json:"podsPerSecond"`
	Settle  string          `json:"settle"`
	Lasts   string          `json:"for"`
	Last    string          `json:"last"`
	Seed    uint64          `json:"seed"`
	Ways    []wayReport     `json:"ways"`
}

// wayReport is what a way did, round by round.
type wayReport struct {
	Way        string              `json:"way"`
	Title      string              `json:"title"`
	Against    string              `json:"against,omitempty"` // the way in which nobody waits
	MaxBackoff int64               `json:"podMaxBackoffSeconds"`
	Blocks     figures.Runs[block] `json:"blocks"`
}

func newReport(ctx context.Context, o options) (report, error) {
	m, err := figures.ThisMachine(ctx)
	r := report{Machine: m, Nodes: o.nodes, Waiting: o.waiting, Rate: o.rate,
		Settle: o.settle.String(), Lasts: o.lasts.String(), Last: o.last.String(), Seed: o.seed}
	for _, w := range o.ways {
		r.Ways = append(r.Ways, wayReport{Way: w.name, Title: w.title(),
			Against: w.against(), MaxBackoff: w.maxBackoff})
	}
	return r, err
}

// print writes the figures as a table in Markdown.
func (r report) print(out io.Writer) error {
	var text strings.Builder
	fmt.Fprintf(&text, "%d nodes, %d pods that nothing fits, %d new ones a second for %s; %s\n", r.Nodes,
		r.Waiting, r.Rate, r.Lasts, r.Machine)
	table := figures.NewTable("nodes looked at, who waits", "podMaxBackoffSeconds", "wait p50 s",
		figures.SpreadColumns, "p99 s", "without a node", "filter requests/s", "kube-scheduler's cores")
	for _, w := range r.Ways {
		for _, b := range w.Blocks {
			table.Row(w.Title, fmt.Sprint(w.MaxBackoff), figures.Cells("%.3f", b.Wait),
				fmt.Sprintf("**%.3f**", b.WaitP99), fmt.Sprintf("%d of %d", b.Unbound, b.Pods),
				fmt.Sprintf("%.1f", b.AsksPerSecond), fmt.Sprintf("%.2f", b.SchedulerCores))
		}
	}
	fmt.Fprint(&text, table, "\nQuartiles and ends are of the pods of a block.\n")
	r.writeRatios(&text)
	_, err := io.WriteString(out, text.String())
	return err
}

// writeRatios compares each way, round by round, with the one in which nobody waits.
func (r report) writeRatios(text *strings.Builder) {
	table := figures.NewTable("nodes looked at, who waits", "podMaxBackoffSeconds", "rounds",
		"ratio of p50 to nobody waiting", figures.SpreadColumns, "ratio of p99", figures.SpreadColumns)
	compared := false
	for _, w := range r.Ways {
		to := slices.IndexFunc(r.Ways, func(other wayReport) bool { return other.Way == w.Against })
		if to < 0 || len(w.Blocks) == 0 || len(w.Blocks) != len(r.Ways[to].Blocks) {
			continue
		}
		compared = true
		ratio := func(value func(block) float64) string {
			return figures.Cells("%.2f", spread.Of(spread.Ratios(w.Blocks.Values(value),
				r.Ways[to].Blocks.Values(value))))
		}
		table.Row(w.Title, fmt.Sprint(w.MaxBackoff), fmt.Sprint(len(w.Blocks)),
			ratio(func(b block) float64 { return b.Wait.Median }),
			ratio(func(b block) float64 { return b.WaitP99 }))
	}
	if compared {
		fmt.Fprint(text, table, "\nRatios are of the same round.\n")
	}
}

// colour of every block.
const colour = "#1f6f8b"

// draw shows the waits of each way's first block.
func (r report) draw(out io.Writer) error {
	var panels []plot.Panel
	end := 0.0
	for _, w := range r.Ways {
		for _, each := range w.points() {
			end = max(end, each.X)
		}
	}
	end = plot.Ceiling(max(end, 1))
	for _, w := range r.Ways {
		panels = append(panels, plot.Lines{End: end,
			Title:  fmt.Sprintf("wait in s: %s, podMaxBackoffSeconds %d", w.Title, w.MaxBackoff),
			Curves: []plot.Curve{{Colour: colour, Points: w.points()}}})
	}
	panels = append(panels, plot.Axis{Title: "seconds since the first new pod", End: end})
	caption := fmt.Sprintf("%d nodes, %d pods wait; %d CPUs for all, %s", r.Nodes, r.Waiting,
		r.Machine.CPUs, r.Machine.Versions["kube-scheduler"])
	return plot.Draw(out, caption, panels...)
}

func (w wayReport) points() []plot.Point {
	if len(w.Blocks) == 0 {
		return nil
	}
	var points []plot.Point
	for second, waited := range w.Blocks[0].BySecond {
		points = append(points, plot.Point{X: float64(second), Y: waited})
	}
	return points
}
