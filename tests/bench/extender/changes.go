package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
	extenderv1 "k8s.io/kube-scheduler/extender/v1"

	"berth.dev/berth/tests/bench/ask"
	"berth.dev/berth/tests/e2e/churn"
	"berth.dev/berth/tests/e2e/fleet"
)

// change is when it was known that a node had broken, in milliseconds from when the patch of its
// status was sent.
type change struct {
	Seen    float64 `json:"seenMilliseconds"`    // by a watch of client-go
	Refused float64 `json:"refusedMilliseconds"` // the end of Berth's first answer that says so
	Asking  float64 `json:"askingMilliseconds"`  // how long an answer took meanwhile, in the mean
}

// late is by how much Berth knew it later than the watch; negative: earlier.
func (c change) late() float64 { return c.Refused - c.Seen }

// sighting is a broken node in an event.
type sighting struct {
	node string
	at   time.Time
}

// breakNodes breaks one node after the other and asks Berth about it all the while.
func (b *bench) breakNodes(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	nodes := b.box.Client.CoreV1().Nodes()
	list, err := nodes.List(ctx, metav1.ListOptions{Limit: 1})
	if err != nil {
		return err
	}
	stream, err := nodes.Watch(ctx, metav1.ListOptions{ResourceVersion: list.ResourceVersion})
	if err != nil {
		return err
	}
	defer stream.Stop()
	sightings := sightBroken(stream)
	for i := range b.changes {
		node, condition := b.gpus[i%len(b.gpus)], churn.Excluding[i%len(churn.Excluding)]
		c, err := b.breakNode(ctx, node, condition, sightings)
		if err != nil {
			return fmt.Errorf("%s on %s: %w", condition, node, err)
		}
		b.report.Changes = append(b.report.Changes, c)
		if err := fleet.SetCondition(ctx, b.box.Client, node, condition, false); err != nil {
			return err
		}
	}
	return nil
}

// sightBroken tells of broken nodes until the stream ends.
func sightBroken(stream watch.Interface) <-chan sighting {
	sightings := make(chan sighting, 64) // nobody who waits makes the next one late
	go func() {
		defer close(sightings)
		for event := range stream.ResultChan() {
			at := time.Now()
			if node, isNode := event.Object.(*corev1.Node); isNode && isBroken(node) {
				sightings <- sighting{node.Name, at}
			}
		}
	}()
	return sightings
}

func isBroken(node *corev1.Node) bool {
	return slices.ContainsFunc(node.Status.Conditions, func(c corev1.NodeCondition) bool {
		return c.Status == corev1.ConditionTrue && slices.Contains(churn.Excluding, string(c.Type))
	})
}

func (b *bench) breakNode(
	ctx context.Context, node, condition string, sightings <-chan sighting,
) (change, error) {
	pod := fleet.Ask{Name: "any-gpu", Resource: fleet.ResourceGPU, Devices: 1}.Pod("probe")
	asked, err := ask.Bodies([]*corev1.Pod{pod}, []string{node})
	if err != nil {
		return change{}, err
	}
	if fits, err := b.fits(ctx, asked[0], node); err != nil || !fits {
		return change{}, errors.Join(errors.New("the node is refused before it broke"), err)
	}
	patched := make(chan error, 1)
	begin := time.Now()
	go func() { patched <- fleet.SetCondition(ctx, b.box.Client, node, condition, true) }()
	asking, err := b.askUntilRefused(ctx, asked[0], node)
	refused := time.Since(begin)
	if err := errors.Join(err, <-patched); err != nil {
		return change{}, err
	}
	at, err := awaitSighting(ctx, node, sightings)
	return change{Seen: milliseconds(at.Sub(begin).Seconds()),
		Refused: milliseconds(refused.Seconds()), Asking: milliseconds(asking.Seconds())}, err
}

// askUntilRefused returns how long an answer took in the mean.
func (b *bench) askUntilRefused(
	ctx context.Context, body []byte, node string,
) (time.Duration, error) {
	begin := time.Now()
	for count := 1; time.Since(begin) < awaitTimeout; count++ {
		fits, err := b.fits(ctx, body, node)
		if err != nil || !fits {
			return time.Since(begin) / time.Duration(count), err
		}
	}
	return 0, fmt.Errorf("not refused after %s", awaitTimeout)
}

// fits tells whether filter lets the node through, the only one that is asked about.
func (b *bench) fits(ctx context.Context, body []byte, node string) (bool, error) {
	reply, err := ask.Post(ctx, b.client, b.box.Berth.URL+"/filter", body)
	if err != nil {
		return false, err
	}
	var result extenderv1.ExtenderFilterResult
	if err := json.Unmarshal(reply, &result); err != nil {
		return false, err
	}
	if result.Error != "" {
		return false, errors.New(result.Error)
	}
	return result.NodeNames != nil && slices.Contains(*result.NodeNames, node), nil
}

// awaitSighting returns when the node was seen to be broken.
func awaitSighting(
	ctx context.Context, node string, sightings <-chan sighting,
) (time.Time, error) {
	timeout := time.After(awaitTimeout)
	for {
		select {
		case <-ctx.Done():
			return time.Time{}, ctx.Err()
		case <-timeout:
			return time.Time{}, fmt.Errorf("no event of it after %s", awaitTimeout)
		case s, open := <-sightings:
			if !open {
				return time.Time{}, errors.New("the watch of nodes has ended")
			}
			if s.node == node {
				return s.at, nil
			}
		}
	}
}
