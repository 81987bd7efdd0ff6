package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"time"

	"berth.dev/berth/tests/bench/ask"
	"berth.dev/berth/tests/bench/echo"
	"berth.dev/berth/tests/bench/figures"
	"berth.dev/berth/tests/e2e/box"
	"berth.dev/berth/tests/e2e/fleet"
)

const (
	awaitTimeout = 2 * time.Minute
)

// bench measures one thing after the other on one cluster, on which nothing runs beside etcd,
// kube-apiserver and Berth but what a part starts.
type bench struct {
	options
	box      *box.Box
	client   *http.Client // verified by Berth
	echo     *httptest.Server
	names    []string // of all nodes, as kube-scheduler mixes them
	gpus     []string // nodes with GPUs
	report   report
	progress io.Writer
}

func start(ctx context.Context, o options, progress io.Writer) (*bench, error) {
	machine, err := figures.ThisMachine(ctx)
	if err != nil {
		return nil, err
	}
	cluster, err := box.Start(ctx, box.Options{Berth: &box.BerthOptions{}, Progress: progress})
	if err != nil {
		return nil, err
	}
	b := &bench{options: o, box: cluster, echo: echo.Start(), progress: progress,
		report: report{Machine: machine, Nodes: o.nodes, Seed: o.seed}}
	if err := b.prepare(ctx); err != nil {
		err = figures.Failed(ctx, b.box, err)
		b.stop()
		return nil, err
	}
	return b, nil
}

func (b *bench) prepare(ctx context.Context) error {
	var err error
	if b.client, err = b.box.Berth.HTTPClient(); err != nil {
		return err
	}
	for index := range namespaces {
		if err := b.box.CreateNamespace(ctx, namespaceName(index), nil); err != nil {
			return err
		}
	}
	for _, process := range []*box.Process{b.box.Scheduler, b.box.Berth.Process, b.box.Kwok,
		b.box.ControllerManager} {
		process.Stop()
	}
	pools := fleet.Scaled(b.nodes)
	b.names = ask.NodeNames(pools)
	for _, pool := range pools {
		for index := range pool.Nodes {
			if pool.Resource == fleet.ResourceGPU {
				b.gpus = append(b.gpus, pool.NodeName(index))
			}
		}
	}
	begin := time.Now()
	if err := fleet.CreateNodes(ctx, b.box.Client, pools); err != nil {
		return fmt.Errorf("create nodes: %w", err)
	}
	fmt.Fprintf(b.progress, "%d nodes created in %.0f s\n", b.nodes, time.Since(begin).Seconds())
	_, err = b.startBerth(ctx, nil)
	return err
}

// startBerth starts Berth again with other keys of its configuration, and returns how long it took
// until Berth had listed everything.
func (b *bench) startBerth(ctx context.Context, config map[string]any) (time.Duration, error) {
	b.box.Berth.Stop()
	b.client.CloseIdleConnections()
	begin := time.Now()
	err := b.box.ReconfigureBerth(ctx, config)
	return time.Since(begin), err
}

func (b *bench) stop() {
	b.client.CloseIdleConnections()
	b.box.Stop()
	b.echo.Close()
}
