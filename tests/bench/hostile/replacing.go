package main

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/watch"

	"berth.dev/berth/tests/bench/ask"
	"berth.dev/berth/tests/bench/lists"
	"berth.dev/berth/tests/e2e/fleet"
)

// slicesOfBlock are how often a block sees some nodes replaced.
const slicesOfBlock = 100

// pools have names that no other generation has.
func (b *bench) pools(generation int) []fleet.Pool {
	return renamed(fleet.Scaled(b.nodes), generation)
}

func renamed(pools []fleet.Pool, generation int) []fleet.Pool {
	for i := range pools {
		pools[i].Name = fmt.Sprintf("%s-g%d", pools[i].Name, generation)
	}
	return pools
}

// inOrder are the nodes in the order of their names in requests, in which they are replaced, too.
func inOrder(pools []fleet.Pool) []*corev1.Node {
	byName := map[string]*corev1.Node{}
	for _, node := range fleet.Nodes(pools, time.Now()) {
		byName[node.Name] = node
	}
	var nodes []*corev1.Node
	for _, name := range ask.NodeNames(pools) {
		nodes = append(nodes, byName[name])
	}
	return nodes
}

// replacement is how one list of nodes becomes another: of each pair the first is deleted and the
// second made.
func replacement(old, new []*corev1.Node) []lists.Change {
	var changes []lists.Change
	for i := range old {
		changes = append(changes, lists.Change{Type: watch.Deleted, Node: old[i]},
			lists.Change{Type: watch.Added, Node: new[i]})
	}
	return changes
}

// startReplacing has all nodes replaced over the length of a block, which begins when it returns.
// stage follows; wait returns when it is done.
func (b *bench) startReplacing(
	ctx context.Context, stage *atomic.Int64,
) (wait func() error, err error) {
	before, after := b.pools(b.generation), b.pools(b.generation+1)
	b.generation++
	frames, err := b.cluster.Prepare(replacement(inOrder(before), inOrder(after)))
	if err != nil {
		return nil, err
	}
	done := make(chan error, 1)
	go func() { done <- b.replace(ctx, frames, stage) }()
	return func() error { return <-done }, nil
}

func (b *bench) replace(ctx context.Context, frames [][]byte, stage *atomic.Int64) error {
	begin := time.Now()
	for i := range slicesOfBlock {
		due := begin.Add(b.replacing * time.Duration(i) / slicesOfBlock)
		if err := pause(ctx, time.Until(due)); err != nil {
			return err
		}
		b.cluster.Tell(frames[len(frames)*i/slicesOfBlock : len(frames)*(i+1)/slicesOfBlock])
		stage.Store(int64((i + 1) * stages / slicesOfBlock))
	}
	return nil
}
