package main

import (
	"context"
	"fmt"
)

// started is how a start of Berth went.
type started struct {
	ReadySeconds     float64 `json:"readySeconds"` // until it had listed all nodes and pods
	CPUSeconds       float64 `json:"cpuSeconds"`   // of its own until then
	ResidentMiB      float64 `json:"residentMiB"`  // then
	AskedResidentMiB float64 `json:"askedResidentMiB,omitempty"`
}

// startOften starts Berth on the real cluster, which has no pods.
func (b *bench) startOften(ctx context.Context) error {
	b.report.Starts = nil
	for range b.starts {
		s, err := b.startOnce(ctx, nil, b.nodes)
		if err != nil {
			return err
		}
		b.report.Starts = append(b.report.Starts, s)
	}
	return nil
}

// startOnce starts Berth, which has to know so many nodes when it says that it is ready.
func (b *bench) startOnce(ctx context.Context, config map[string]any, nodes int) (started, error) {
	ready, err := b.startBerth(ctx, config)
	if err != nil {
		return started{}, err
	}
	usage, err := b.box.Berth.Usage()
	if err != nil {
		return started{}, err
	}
	samples, err := b.box.Berth.Metrics(ctx)
	if known := samples.Sum("berth_nodes"); err == nil && known != float64(nodes) {
		err = fmt.Errorf("berth is ready and knows %.0f of %d nodes", known, nodes)
	}
	return started{ReadySeconds: ready.Seconds(), CPUSeconds: usage.CPUSeconds,
		ResidentMiB: usage.ResidentMiB()}, err
}
