package main

import (
	"context"
	"fmt"

	"berth.dev/berth/tests/e2e/box"
)

const durations = "berth_extender_duration_seconds"

// berthOutcome is what a run of Berth's extender says of itself. Milliseconds are its own time,
// without the client's and the network's; 0 where it was never asked.
type berthOutcome struct {
	ReadySeconds  float64 `json:"readySeconds"` // from its start until all nodes and pods were listed
	ResidentMiB   float64 `json:"residentMiB"`  // after the last pod
	FilterP50     float64 `json:"filterP50Milliseconds"`
	FilterP99     float64 `json:"filterP99Milliseconds"`
	PrioritizeP50 float64 `json:"prioritizeP50Milliseconds"`
	PrioritizeP99 float64 `json:"prioritizeP99Milliseconds"`
}

// readBerth asks a Berth that has placed all pods how it did.
func readBerth(ctx context.Context, berth *box.Berth) (*berthOutcome, error) {
	usage, err := berth.Usage()
	if err != nil {
		return nil, err
	}
	samples, err := berth.Metrics(ctx)
	if err != nil {
		return nil, err
	}
	filter := samples.Histogram(durations, `verb="filter"`)
	if filter.Count() == 0 {
		return nil, fmt.Errorf("kube-scheduler has placed all pods without asking berth")
	}
	prioritize := samples.Histogram(durations, `verb="prioritize"`)
	return &berthOutcome{ResidentMiB: usage.ResidentMiB(),
		FilterP50: milliseconds(filter, 0.5), FilterP99: milliseconds(filter, 0.99),
		PrioritizeP50: milliseconds(prioritize, 0.5),
		PrioritizeP99: milliseconds(prioritize, 0.99)}, nil
}

func milliseconds(h box.Histogram, share float64) float64 { return 1000 * h.Quantile(share) }
