package losses

import (
	"context"
	"fmt"
	"io"
	"strings"

	"berth.dev/berth/tests/bench/figures"
	"berth.dev/berth/tests/e2e/spread"
)

// mostLost is the share of what kube-scheduler alone loses that Berth with evictions may lose.
const mostLost = 0.5

// outcome is what a turn measured. Times are in devices times seconds.
type outcome struct {
	Faults    int     `json:"faults"`
	Broken    float64 `json:"brokenSeconds"` // of nodes with a fault, whoever held them
	Held      float64 `json:"heldSeconds"`   // by pods
	Lasting   float64 `json:"lastingSeconds"`
	Succeeded int     `json:"succeeded"` // jobs
	Failed    int     `json:"failed"`    // pods
	Evicted   int     `json:"evicted"`
}

// lost is what pods held without work that lasts.
func (o outcome) lost() float64 { return o.Held - o.Lasting }

func (o outcome) String() string {
	return fmt.Sprintf("%.0f of %.0f device-seconds lost, %.0f broken by %d faults; %d jobs done, %d "+
		"pods failed, %d evicted", o.lost(), o.Held, o.Broken, o.Faults, o.Succeeded, o.Failed, o.Evicted)
}

// report is all that was measured.
type report struct {
	Machine figures.Machine `json:"machine"`
	Nodes   int             `json:"nodes"`
	Length  string          `json:"length"`
	Seed    uint64          `json:"seed"`
	Ways    []wayReport     `json:"ways"`
}

type wayReport struct {
	Way   string                `json:"way"`
	Title string                `json:"title"`
	Runs  figures.Runs[outcome] `json:"runs"`
}

func newReport(ctx context.Context, o options) (report, error) {
	m, err := figures.ThisMachine(ctx)
	r := report{Machine: m, Nodes: o.nodes, Length: o.length.String(), Seed: o.seed}
	for _, w := range o.ways {
		r.Ways = append(r.Ways, wayReport{Way: w.name, Title: w.title})
	}
	return r, err
}

// print writes the figures as a table in Markdown.
func (r report) print(out io.Writer) error {
	var text strings.Builder
	fmt.Fprintf(&text, "%s\n%d nodes, %s\n", r.Machine, r.Nodes, r.Length)
	table := figures.NewTable("way", "rounds", "device-seconds lost", figures.SpreadColumns, "to the first",
		"lasting", "jobs done", "pods failed", "evicted")
	for _, w := range r.Ways {
		if len(w.Runs) == 0 {
			continue
		}
		median := func(of func(outcome) float64) string { return w.Runs.Median("%.0f", of) }
		table.Row(w.Title, fmt.Sprint(len(w.Runs)), w.Runs.Cells("%.0f", outcome.lost),
			w.Runs.RatioTo(r.Ways[0].Runs, outcome.lost),
			median(func(o outcome) float64 { return o.Lasting }),
			median(func(o outcome) float64 { return float64(o.Succeeded) }),
			median(func(o outcome) float64 { return float64(o.Failed) }),
			median(func(o outcome) float64 { return float64(o.Evicted) }))
	}
	fmt.Fprint(&text, table, "\nMedians of the rounds; ratios are of the same round.\n")
	_, err := io.WriteString(out, text.String())
	return err
}

// missed is an error if Berth with evictions lost too much, in the median of the rounds, as the table has
// it. It is none where that or kube-scheduler alone was not measured.
func (r report) missed() error {
	alone, evicting := r.runsOf(wayAlone), r.runsOf(wayEvict)
	if len(alone) == 0 || len(evicting) != len(alone) {
		return nil
	}
	ratios := spread.Ratios(evicting.Values(outcome.lost), alone.Values(outcome.lost))
	if ratio := spread.Quantile(ratios, 0.5); ratio > mostLost {
		return fmt.Errorf("the target is missed: %s lost %.3f of the device-seconds that %s lost, and may "+
			"lose %.3f at most", wayEvict, ratio, wayAlone, mostLost)
	}
	return nil
}

// runsOf is empty where the way was not measured.
func (r report) runsOf(way string) figures.Runs[outcome] {
	for _, w := range r.Ways {
		if w.Way == way {
			return w.Runs
		}
	}
	return nil
}
