package main

import (
	"context"
	"fmt"
	"time"

	"berth.dev/berth/tests/e2e/box"
)

const durations = "berth_extender_duration_seconds"

// berthOutcome is what a run of Berth says of itself. Milliseconds are its own time, without the
// client's and the network's; 0 where it was never asked.
type berthOutcome struct {
	ReadySeconds  float64 `json:"readySeconds"` // from its start until all nodes and pods were listed
	ResidentMiB   float64 `json:"residentMiB"`  // after the last pod
	FilterP50     float64 `json:"filterP50Milliseconds"`
	FilterP99     float64 `json:"filterP99Milliseconds"`
	PrioritizeP50 float64 `json:"prioritizeP50Milliseconds"`
	PrioritizeP99 float64 `json:"prioritizeP99Milliseconds"`
}

// startBerth returns when Berth knows the nodes, and of no pod that has one.
func (b *bench) startBerth(ctx context.Context, w way) (*berthOutcome, error) {
	begin := time.Now()
	if err := b.cluster.Box.ReconfigureBerth(ctx, w.config); err != nil {
		return nil, err
	}
	ready := time.Since(begin)
	return &berthOutcome{ReadySeconds: ready.Seconds()}, b.cluster.AwaitBerth(ctx)
}

// read asks a Berth that has placed all pods how it did.
func (o *berthOutcome) read(ctx context.Context, berth *box.Berth) error {
	usage, err := berth.Usage()
	if err != nil {
		return err
	}
	samples, err := berth.Metrics(ctx)
	if err != nil {
		return err
	}
	filter := samples.Histogram(durations, `verb="filter"`)
	if filter.Count() == 0 {
		return fmt.Errorf("kube-scheduler has placed all pods without asking berth")
	}
	prioritize := samples.Histogram(durations, `verb="prioritize"`)
	o.ResidentMiB = usage.ResidentMiB()
	o.FilterP50, o.FilterP99 = milliseconds(filter, 0.5), milliseconds(filter, 0.99)
	o.PrioritizeP50, o.PrioritizeP99 = milliseconds(prioritize, 0.5), milliseconds(prioritize, 0.99)
	return nil
}

func milliseconds(h box.Histogram, share float64) float64 { return 1000 * h.Quantile(share) }
