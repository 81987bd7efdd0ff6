package main

import (
	"context"
	"fmt"
	"net/http"
	"time"

	corev1 "k8s.io/api/core/v1"

	"berth.dev/berth/tests/bench/ask"
	"berth.dev/berth/tests/e2e/box"
	"berth.dev/berth/tests/e2e/spread"
)

const durations = "berth_extender_duration_seconds"

// round is how long the answers of a round took, in milliseconds.
type round struct {
	// As the caller sees it: with TLS, the network and the caller's own work. 0 where that is
	// kube-scheduler.
	CallerP50 float64 `json:"callerP50Milliseconds,omitempty"`
	CallerP99 float64 `json:"callerP99Milliseconds,omitempty"`
	// By Berth's own histogram: from the request's last byte to the reply's first. 0 for others.
	BerthP50 float64 `json:"berthP50Milliseconds,omitempty"`
	BerthP99 float64 `json:"berthP99Milliseconds,omitempty"`
}

// answers is a series of rounds.
type answers struct {
	Who          string  `json:"who"`
	Verb         string  `json:"verb"`
	How          string  `json:"how"`
	Nodes        int     `json:"nodes"` // asked about; 0: as many as fit
	RequestBytes int     `json:"requestBytes,omitempty"`
	ReplyBytes   int     `json:"replyBytes,omitempty"`
	Rounds       []round `json:"rounds"`
}

// series asks one server one verb, by one connection.
type series struct {
	answers
	client *http.Client
	url    string
	berth  *box.Berth // nil: another server
	bodies [][]byte   // take turns
}

// asking prepares a series about the nodes.
func (s series) asking(pods []*corev1.Pod, names []string) (*series, error) {
	var err error
	s.url += "/" + s.Verb
	s.bodies, err = ask.Bodies(pods, names)
	s.Nodes = len(names)
	return &s, err
}

// round asks so many times and notes how long it took.
func (s *series) round(ctx context.Context, requests int) error {
	before, err := s.histogram(ctx)
	if err != nil {
		return err
	}
	times := make([]float64, requests)
	for i := range times {
		body := s.bodies[i%len(s.bodies)]
		begin := time.Now()
		reply, err := ask.Post(ctx, s.client, s.url, body)
		if err != nil {
			return fmt.Errorf("%s, %s: %w", s.Who, s.Verb, err)
		}
		times[i] = milliseconds(time.Since(begin).Seconds())
		s.RequestBytes, s.ReplyBytes = len(body), len(reply)
	}
	after, err := s.histogram(ctx)
	if err != nil {
		return err
	}
	r := berthRound(after.Since(before))
	r.CallerP50, r.CallerP99 = spread.Quantile(times, 0.5), spread.Quantile(times, 0.99)
	s.Rounds = append(s.Rounds, r)
	return nil
}

// histogram is what Berth says of the verb so far, empty for another server.
func (s *series) histogram(ctx context.Context) (box.Histogram, error) {
	if s.berth == nil {
		return nil, nil
	}
	samples, err := s.berth.Metrics(ctx)
	return histogramOf(samples, s.Verb), err
}

func histogramOf(samples box.Samples, verb string) box.Histogram {
	return samples.Histogram(durations, fmt.Sprintf("verb=%q", verb))
}

func berthRound(h box.Histogram) round {
	return round{BerthP50: milliseconds(h.Quantile(0.5)), BerthP99: milliseconds(h.Quantile(0.99))}
}

func milliseconds(seconds float64) float64 { return 1000 * seconds }
