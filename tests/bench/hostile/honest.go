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

const (
	// stages are how often the names that are asked about follow the nodes that are replaced.
	stages  = 10
	unknown = "unknown to Berth" // why an answer refuses a node that is not there
)

// honest asks filter about nodes, one request after the other, on a connection of its own.
type honest struct {
	client *http.Client
	url    string
	count  int                  // of the names in a request
	bodies [stages + 1][][]byte // by how much of the nodes has been replaced
}

// newHonest asks about so many of the nodes that have these names before and after they are
// replaced.
func newHonest(
	client *http.Client, url string, before, after []string, count int,
) (*honest, error) {
	h := &honest{client: client, url: url + "/filter", count: count}
	for stage := range h.bodies {
		var err error
		h.bodies[stage], err = ask.Bodies(ask.Pods(), namesAt(stage, before, after, count))
		if err != nil {
			return nil, err
		}
	}
	return h, nil
}

// namesAt are names of nodes that are there at a stage. They are spread over the cluster, each from
// the middle of an equal part: nodes are replaced in order, and the first ones are gone at once.
func namesAt(stage int, before, after []string, count int) []string {
	replaced := len(before) * stage / stages
	names := make([]string, count)
	for i := range names {
		node := (2*i + 1) * len(before) / (2 * count)
		names[i] = before[node]
		if node < replaced {
			names[i] = after[node]
		}
	}
	return names
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
	return checkAnswer(reply, h.count)
}

// checkAnswer is an error unless the reply judges most of the nodes that were asked about. That it
// refuses all of them may be right.
func checkAnswer(reply []byte, count int) error {
	if !bytes.Contains(reply, []byte(`"NodeNames":[`)) || bytes.Contains(reply, []byte(`"Error"`)) {
		return fmt.Errorf("no answer: %.200s", reply)
	}
	if missed := bytes.Count(reply, []byte(unknown)); 2*missed > count {
		return fmt.Errorf("%d of %d nodes were %s: %.200s", missed, count, unknown, reply)
	}
	return nil
}
