package gangs

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	corev1 "k8s.io/api/core/v1"

	"berth.dev/berth/tests/bench/placing"
	"berth.dev/berth/tests/e2e/fleet"
)

const (
	pool      = "mn2a"
	model     = "V100"
	gangName  = "train"
	firstPods = 20 // are placed before the clock starts
	rackNodes = 32
)

// bench has etcd and kube-apiserver run throughout, the way's programs only while they are
// measured.
type bench struct {
	options
	cluster *placing.Cluster
	gangs   int // so far
}

// podGroupPrograms know PodGroups.
var podGroupPrograms = map[string]string{
	"kube-apiserver": "kube-apiserver-1.37", "kube-scheduler": "kube-scheduler-1.37"}

// poolOf are the nodes that the pods may run on in a cluster of so many.
func poolOf(nodes int) fleet.Pool {
	pools := fleet.Scaled(nodes)
	return pools[slices.IndexFunc(pools, func(p fleet.Pool) bool { return p.Name == pool })]
}

func start(ctx context.Context, o options, progress io.Writer) (*bench, error) {
	settings := placing.Options{Nodes: o.nodes, Seed: o.seed, RackNodes: rackNodes, Progress: progress,
		Programs: o.programs(), PodGroups: o.isNative()}
	cluster, err := placing.Start(ctx, settings)
	if err != nil {
		return nil, err
	}
	cluster.Box.Berth.Stop()
	return &bench{options: o, cluster: cluster}, nil
}

// measure has a way place the pods. It leaves the cluster without pods.
func (b *bench) measure(ctx context.Context, c contender) (outcome, error) {
	measured, err := b.place(ctx, c)
	b.cluster.StopWay()
	return measured, errors.Join(err, b.cluster.Clear(ctx))
}

func (b *bench) place(ctx context.Context, c contender) (outcome, error) {
	seen, err := placing.Watch(ctx, b.cluster.Box.Client)
	if err != nil {
		return outcome{}, err
	}
	defer seen.Stop()
	if _, err := b.cluster.StartWay(ctx, c.way); err != nil {
		return outcome{}, err
	}
	creators, err := placing.Creators(b.cluster.Box.Config)
	if err != nil {
		return outcome{}, err
	}
	scheduler, err := c.way.SchedulerName(b.cluster.Shipped())
	if err != nil {
		return outcome{}, err
	}
	create := func(pods []*corev1.Pod) (placing.Created, placing.Outcome, error) {
		for _, pod := range pods {
			pod.Spec.SchedulerName = scheduler
		}
		created, err := placing.Create(ctx, creators, pods, placing.Pace{})
		if err != nil {
			return created, placing.Outcome{}, err
		}
		became, err := seen.AwaitAll(ctx, created, b.patience)
		if err == nil && became.Unbound > 0 {
			err = fmt.Errorf("%d of %d pods have no node: %q", became.Unbound, len(pods), became.Without)
		}
		return created, became, err
	}
	// Programs that run have connections, and have listed what they need.
	if _, _, err := create(b.singles("first", firstPods, 1)); err != nil {
		return outcome{}, err
	}
	before, err := b.cluster.CPU()
	if err != nil {
		return outcome{}, err
	}
	created, became, err := create(b.podsOf(c))
	if err != nil {
		return outcome{}, err
	}
	after, err := b.cluster.CPU()
	return newOutcome(created, became, after.Since(before)), err
}

// podsOf are the pods that a way places: a gang is as the webhook makes it.
func (b *bench) podsOf(c contender) []*corev1.Pod {
	pods := b.singles(gangName, b.pods, b.devices)
	if !c.isGang {
		return pods
	}
	b.gangs++
	name := fmt.Sprintf("%s-%d", gangName, b.gangs)
	for _, pod := range pods {
		if c.isNative {
			pod.Spec.SchedulingGroup = &corev1.PodSchedulingGroup{PodGroupName: new("berth-" + name)}
		} else {
			pod.Spec.SchedulingGates = []corev1.PodSchedulingGate{{Name: "berth.dev/gang"}}
		}
		pod.Annotations["berth.dev/gang-name"] = name
		pod.Annotations["berth.dev/gang-size"] = fmt.Sprint(len(pods))
	}
	return pods
}

// singles have the node affinity that admission writes, so that kube-scheduler alone places them on the
// same nodes.
func (b *bench) singles(name string, count int, devices int64) []*corev1.Pod {
	ask := fleet.Ask{Name: name, Accelerators: []string{model}, Resource: fleet.ResourceGPU,
		Devices: devices, Cores: 4, MemoryGiB: 40}
	var pods []*corev1.Pod
	for i := range count {
		pod := ask.Pod(fmt.Sprintf("%s-%04d", name, i))
		fleet.Admit(pod)
		pods = append(pods, pod)
	}
	return pods
}

func newOutcome(created placing.Created, became placing.Outcome, used placing.CPU) outcome {
	each := func(seconds float64) float64 { return seconds * 1000 / float64(len(created.At)) }
	return outcome{
		LastBinding: became.Last.Seconds(), Created: created.Last.Sub(created.First).Seconds(),
		Refused: became.Refused, Nominated: became.Nominated,
		SchedulerCPU: each(used.Scheduler), ExtenderCPU: each(used.Extender),
		ControllerCPU: each(used.Controller), APIServerCPU: each(used.APIServer),
	}
}
