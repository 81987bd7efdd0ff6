package rivals

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"berth.dev/berth/tests/bench/placing"
)

const (
	// One node in so many is cordoned, and one in so many has a pod of one device.
	cordonedEvery = 16
	startedEvery  = 5
)

// contest are gangs of whole nodes that come at the same time to a small cluster, of which two fit.
// Some of its nodes are cordoned, and some have a pod of one device: three gangs would fit by the
// number of devices.
var contest = scene{
	title:   "gangs of which two fit at once",
	nodes:   func(o options) int { return o.contestNodes },
	prepare: cordon,
	present: func(o options) []*corev1.Pod {
		nodes := poolOf(o.contestNodes)
		var pods []*corev1.Pod
		for i := range nodes.Nodes {
			if isStarted(i) {
				pod := gangOf("single-"+nodes.NodeName(i), 1, 1).pods[0]
				pod.Spec.NodeName = nodes.NodeName(i)
				pods = append(pods, pod)
			}
		}
		return pods
	},
	gangs: func(o options, round int) []gang {
		var gangs []gang
		for i := range o.gangs {
			gangs = append(gangs, gangOf(fmt.Sprintf("train-%d-%d", round, i), contestPods(o), o.devices))
		}
		return gangs
	},
	play: playContest,
}

func isCordoned(index int) bool { return index%cordonedEvery == 7 }
func isStarted(index int) bool  { return index%startedEvery == 2 && !isCordoned(index) }

// contestPods is the size of a gang: five twelfths of the nodes that are free.
func contestPods(o options) int {
	free := 0
	for i := range poolOf(o.contestNodes).Nodes {
		if !isCordoned(i) && !isStarted(i) {
			free++
		}
	}
	return free * 5 / 12
}

func cordon(ctx context.Context, b *bench) error {
	nodes := poolOf(b.contestNodes)
	for i := range nodes.Nodes {
		if !isCordoned(i) {
			continue
		}
		_, err := b.cluster.Box.Client.CoreV1().Nodes().Patch(ctx, nodes.NodeName(i),
			types.MergePatchType, []byte(`{"spec":{"unschedulable":true}}`), metav1.PatchOptions{})
		if err != nil {
			return fmt.Errorf("cordon %s: %w", nodes.NodeName(i), err)
		}
	}
	return nil
}

// playContest creates the pods of all gangs in any order, and runs each gang once it is whole.
func playContest(ctx context.Context, b *bench, gangs []gang, t *turn) (outcome, error) {
	var pods []*corev1.Pod
	for _, g := range gangs {
		pods = append(pods, g.pods...)
	}
	rand.New(rand.NewPCG(b.seed, 11)).Shuffle(len(pods), func(i, j int) {
		pods[i], pods[j] = pods[j], pods[i]
	})
	within, cancel := context.WithTimeout(ctx, b.patience)
	defer cancel()
	reserved := watchReserved(within, b.cluster.Box, t.seen, b.devices)
	node := &kubelet{client: b.cluster.Box.Client, length: b.length, gangs: slices.Clone(gangs)}
	done := make(chan error, 1)
	go func() { done <- node.run(within, t.seen) }()
	created, err := placing.Create(ctx, t.creators, pods, placing.Pace{})
	if err != nil {
		cancel()
		<-done
		return outcome{}, err
	}
	if err := <-done; err != nil {
		return outcome{}, err
	}
	cancel()
	return outcome{
		Seconds: node.ended.Sub(created.First).Seconds(), Ran: node.ran,
		Created: created.Last.Sub(created.First).Seconds(),
		Held:    heldSeconds(gangs, t.seen.Bound(), node.ended), Reserved: <-reserved,
	}, nil
}

func keyOf(pod *corev1.Pod) string { return pod.Namespace + "/" + pod.Name }
