package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"text/tabwriter"
	"time"

	corev1 "k8s.io/api/core/v1"
	extenderv1 "k8s.io/kube-scheduler/extender/v1"

	"berth.dev/berth/tests/e2e/fleet"
)

// asks are the pods that take turns, so that no cache is tuned to one.
var asks = []fleet.Ask{
	{Name: "any", Resource: fleet.ResourceGPU, Devices: 1, Cores: 4, MemoryGiB: 40},
	{Name: "v100", Accelerators: []string{"V100"}, Resource: fleet.ResourceGPU, Devices: 8, Cores: 4,
		MemoryGiB: 40},
	{Name: "a100-v100", Accelerators: []string{"A100", "V100"}, Memory: "32Gi",
		Resource: fleet.ResourceGPU, Devices: 2, Cores: 4, MemoryGiB: 40},
	{Name: "mncore", Resource: fleet.ResourceMNCore, Devices: 4, Cores: 4, MemoryGiB: 40},
}

// series is one server asked one verb about the same nodes.
type series struct {
	name   string
	client *http.Client
	url    string
	names  []string

	bodies [][]byte
	times  []time.Duration // of the whole request, as the caller sees it
	bytes  int             // of the last reply
}

// run asks requests times and notes how long each took.
func (s *series) run(ctx context.Context, requests int) error {
	if s.bodies == nil {
		if err := s.encode(); err != nil {
			return err
		}
	}
	for i := range requests {
		begin := time.Now()
		size, err := post(ctx, s.client, s.url, s.bodies[i%len(s.bodies)])
		if err != nil {
			return fmt.Errorf("%s: %w", s.name, err)
		}
		s.times = append(s.times, time.Since(begin))
		s.bytes = size
	}
	return nil
}

func (s *series) encode() error {
	for _, ask := range asks {
		body, err := requestBody(ask.Pod("load-"+ask.Name), s.names)
		if err != nil {
			return err
		}
		s.bodies = append(s.bodies, body)
	}
	return nil
}

func requestBody(pod *corev1.Pod, names []string) ([]byte, error) {
	return json.Marshal(extenderv1.ExtenderArgs{Pod: pod, NodeNames: &names})
}

// post reads the reply to its end, so that the connection is used again, and returns its size.
func post(ctx context.Context, client *http.Client, url string, body []byte) (int, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader(body))
	if err != nil {
		return 0, err
	}
	request.Header.Set("Content-Type", "application/json")
	response, err := client.Do(request)
	if err != nil {
		return 0, err
	}
	defer response.Body.Close()
	size, err := io.Copy(io.Discard, response.Body)
	if err == nil && response.StatusCode != http.StatusOK {
		err = fmt.Errorf("status %s", response.Status)
	}
	return int(size), err
}

// report prints percentiles over all blocks.
func report(w io.Writer, all []*series) {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(table, "request\tnodes\trequest bytes\treply bytes\tmin ms\tp50 ms\tp99 ms\tmax ms\t")
	for _, s := range all {
		slices.Sort(s.times)
		at := func(share float64) float64 {
			return s.times[int(share*float64(len(s.times)-1))].Seconds() * 1000
		}
		fmt.Fprintf(table, "%s\t%d\t%d\t%d\t%.2f\t%.2f\t%.2f\t%.2f\t\n", s.name, len(s.names),
			len(s.bodies[0]), s.bytes, at(0), at(0.5), at(0.99), at(1))
	}
	table.Flush()
}
