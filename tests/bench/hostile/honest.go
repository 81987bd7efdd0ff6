package main

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"sync/atomic"
	"time"

	"berth.dev/berth/tests/bench/ask"
)

// stages are how often the names that are asked about follow the nodes that are replaced.
const stages = 10

// honest asks filter about nodes, one request after the other, on a connection of its own.
type honest struct {
	client *http.Client
	url    string
	bodies [stages + 1][][]byte // by how much of the nodes has been replaced
}

// newHonest asks about nodes that have these names before and after they are replaced.
func newHonest(client *http.Client, url string, before, after []string) (*honest, error) {
	h := &honest{client: client, url: url + "/filter"}
	for stage := range h.bodies {
		replaced := len(before) * stage / stages
		names := append(append([]string{}, after[:replaced]...), before[replaced:]...)
		var err error
		if h.bodies[stage], err = ask.Bodies(ask.Pods(), names); err != nil {
			return nil, err
		}
	}
	return h, nil
}

// rate is how many requests a second are answered, for so long. The first one needs a connection,
// as after kube-scheduler has been started.
func (h *honest) rate(
	ctx context.Context, length time.Duration, replaced *atomic.Int64,
) (float64, error) {
	h.client.CloseIdleConnections()
	begin := time.Now()
	for asked := 0; ; asked++ {
		if passed := time.Since(begin); passed >= length {
			return float64(asked) / passed.Seconds(), nil
		}
		bodies := h.bodies[replaced.Load()]
		if err := h.ask(ctx, bodies[asked%len(bodies)]); err != nil {
			return 0, fmt.Errorf("honest request %d of a block: %w", asked+1, err)
		}
	}
}

func (h *honest) ask(ctx context.Context, body []byte) error {
	reply, err := ask.Post(ctx, h.client, h.url, body)
	if err != nil {
		return err
	}
	if !bytes.Contains(reply, []byte(`"NodeNames":[`)) || bytes.Contains(reply, []byte(`"Error"`)) {
		return fmt.Errorf("no answer: %.200s", reply)
	}
	return nil
}
