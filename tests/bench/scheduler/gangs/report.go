package gangs

import (
	"context"
	"fmt"
	"io"
	"strings"

	"berth.dev/berth/tests/bench/figures"
	"berth.dev/berth/tests/e2e/spread"
)

// outcome is what a run measured. CPU is in milliseconds a pod.
type outcome struct {
	LastBinding   float64 `json:"lastBindingSeconds"` // from the first creation
	Created       float64 `json:"createdSeconds"`     // from the first creation to the last
	Refused       int     `json:"refused"`            // pods that found no node at least once
	Nominated     int     `json:"nominated"`
	SchedulerCPU  float64 `json:"schedulerMilliseconds"`
	ExtenderCPU   float64 `json:"extenderMilliseconds"`
	ControllerCPU float64 `json:"controllerMilliseconds"`
	APIServerCPU  float64 `json:"apiServerMilliseconds"`
}

func (o outcome) String() string {
	return fmt.Sprintf("last binding after %.2f s (created in %.2f s), %d refused, %d nominated; "+
		"milliseconds a pod: kube-scheduler %.2f, kube-apiserver %.2f, extender %.2f, controller %.2f",
		o.LastBinding, o.Created, o.Refused, o.Nominated, o.SchedulerCPU, o.APIServerCPU, o.ExtenderCPU,
		o.ControllerCPU)
}

// report is all that was measured.
type report struct {
	Machine figures.Machine `json:"machine"`
	Nodes   int             `json:"nodes"`
	Pods    int             `json:"pods"`
	Devices int64           `json:"devices"`
	Seed    uint64          `json:"seed"`
	Ways    []wayReport     `json:"ways"`
}

type wayReport struct {
	Way   string                `json:"way"`
	Title string                `json:"title"`
	Runs  figures.Runs[outcome] `json:"runs"`
}

func newReport(ctx context.Context, o options) (report, error) {
	m, err := figures.ThisMachineWith(ctx, o.programs())
	r := report{Machine: m, Nodes: o.nodes, Pods: o.pods, Devices: o.devices, Seed: o.seed}
	for _, c := range o.contenders {
		r.Ways = append(r.Ways, wayReport{Way: c.name, Title: c.title})
	}
	return r, err
}

// print writes the figures as a table in Markdown.
func (r report) print(out io.Writer) error {
	var text strings.Builder
	fmt.Fprintf(&text, "%d pods of %d devices, %d nodes; %s\n", r.Pods, r.Devices, r.Nodes, r.Machine)
	table := figures.NewTable("way", "last binding s", figures.SpreadColumns, "created s", "refused",
		"nominated", "kube-scheduler's CPU", "kube-apiserver's", "extender's", "controller's")
	for _, w := range r.Ways {
		if len(w.Runs) == 0 {
			continue
		}
		median := w.Runs.Median
		table.Row(w.Title, w.Runs.Cells("%.2f", lastBinding),
			median("%.2f", func(o outcome) float64 { return o.Created }),
			median("%.0f", func(o outcome) float64 { return float64(o.Refused) }),
			median("%.0f", func(o outcome) float64 { return float64(o.Nominated) }),
			median("%.2f", func(o outcome) float64 { return o.SchedulerCPU }),
			median("%.2f", func(o outcome) float64 { return o.APIServerCPU }),
			median("%.2f", func(o outcome) float64 { return o.ExtenderCPU }),
			median("%.2f", func(o outcome) float64 { return o.ControllerCPU }))
	}
	fmt.Fprint(&text, table, "\nCPU is in milliseconds a pod; all but the last binding are medians.\n")
	r.printRatios(&text)
	_, err := io.WriteString(out, text.String())
	return err
}

// printRatios compares each way with the first one.
func (r report) printRatios(text *strings.Builder) {
	table := figures.NewTable("way", "to", "ratio of the time", figures.SpreadColumns)
	for _, w := range r.Ways[1:] {
		if len(w.Runs) > 0 && len(r.Ways[0].Runs) > 0 {
			table.Row(w.Title, r.Ways[0].Title, figures.Cells("%.2f",
				spread.Of(spread.Ratios(w.Runs.Values(lastBinding), r.Ways[0].Runs.Values(lastBinding)))))
		}
	}
	fmt.Fprint(text, table, "\nRatios are of the same round.\n")
}

func lastBinding(o outcome) float64 { return o.LastBinding }
