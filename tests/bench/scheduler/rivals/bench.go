package rivals

import (
	"context"
	"errors"
	"fmt"
	"io"

	corev1 "k8s.io/api/core/v1"

	"berth.dev/berth/tests/bench/placing"
	"berth.dev/berth/tests/e2e/fleet"
)

const (
	pool      = "mn2a"
	model     = "V100"
	rackNodes = 32
	firstPods = 20 // are placed before the clock starts
)

// scene is what the ways are compared in.
type scene struct {
	title string
	nodes func(o options) int
	// prepare makes the nodes what they are to be.
	prepare func(ctx context.Context, b *bench) error
	// present are pods that run already; they are gone after each turn.
	present func(o options) []*corev1.Pod
	// gangs are created at the same time.
	gangs func(o options, round int) []gang
	// play has the gangs come, and returns what became of them.
	play func(ctx context.Context, b *bench, gangs []gang, t *turn) (outcome, error)
}

var allScenes = map[string]scene{"one": one, "contest": contest}

// bench has etcd and kube-apiserver run throughout, the way's programs only while they are
// measured.
type bench struct {
	options
	scene   scene
	cluster *placing.Cluster
	helpers map[string]helper // that the contenders need, by name
}

// turn is what a way has while it is measured.
type turn struct {
	seen     *placing.Pods
	creators []placing.Creator
}

func start(ctx context.Context, o options, s scene, progress io.Writer) (*bench, error) {
	cluster, err := placing.Start(ctx, placing.Options{Nodes: s.nodes(o), Seed: o.seed,
		Namespaces: []string{kueueNamespace}, RackNodes: rackNodes, Programs: programs,
		Progress: progress})
	if err != nil {
		return nil, err
	}
	cluster.Box.Berth.Stop()
	b := &bench{options: o, scene: s, cluster: cluster, helpers: map[string]helper{}}
	if err := b.prepare(ctx); err != nil {
		cluster.Stop()
		return nil, err
	}
	return b, nil
}

func (b *bench) prepare(ctx context.Context) error {
	if err := b.scene.prepare(ctx, b); err != nil {
		return err
	}
	for _, c := range b.contenders {
		if c.helper == "" || b.helpers[c.helper] != nil {
			continue
		}
		b.helpers[c.helper] = helpers[c.helper](b.cluster)
		if err := b.helpers[c.helper].install(ctx, b.quota()); err != nil {
			return fmt.Errorf("install %s: %w", c.title, err)
		}
	}
	return nil
}

// quota is how many devices the gangs may use: those of the pool that no other pod has.
func (b *bench) quota() int64 {
	nodes := poolOf(b.scene.nodes(b.options))
	devices := int64(nodes.Nodes) * nodes.Devices
	for _, pod := range b.scene.present(b.options) {
		devices -= devicesOf(pod)
	}
	return devices
}

// measure has a way take a turn. It leaves the cluster without pods.
func (b *bench) measure(ctx context.Context, c contender, round int) (outcome, error) {
	aid := b.helpers[c.helper]
	measured, err := b.take(ctx, c, aid, round)
	b.cluster.StopWay()
	if aid != nil {
		aid.stop()
	}
	if err = errors.Join(err, b.cluster.Clear(ctx)); err == nil && aid != nil {
		err = aid.forget(ctx)
	}
	return measured, err
}

// take starts the programs and plays the scene.
func (b *bench) take(ctx context.Context, c contender, aid helper, round int) (outcome, error) {
	client := b.cluster.Box.Client
	if err := fleet.CreatePods(ctx, client, b.scene.present(b.options)); err != nil {
		return outcome{}, err
	}
	t := &turn{}
	var err error
	if t.seen, err = placing.Watch(ctx, client); err != nil {
		return outcome{}, err
	}
	defer t.seen.Stop()
	if t.creators, err = placing.Creators(b.cluster.Box.Config); err != nil {
		return outcome{}, err
	}
	if aid != nil {
		if err := aid.start(ctx); err != nil {
			return outcome{}, err
		}
	}
	if _, err := b.cluster.StartWay(ctx, c.way); err != nil {
		return outcome{}, err
	}
	gangs, err := b.membersFor(ctx, c, t, round)
	if err != nil {
		return outcome{}, err
	}
	if aid != nil {
		if err := aid.announce(ctx, gangs); err != nil {
			return outcome{}, err
		}
	}
	return b.scene.play(ctx, b, gangs, t)
}

// membersFor are the gangs of a round, made the way's. Programs that run have connections, and have
// listed what they need: some pods are placed first.
func (b *bench) membersFor(
	ctx context.Context, c contender, t *turn, round int,
) ([]gang, error) {
	scheduler, err := c.way.SchedulerName(b.cluster.Shipped())
	if err != nil {
		return nil, err
	}
	gangs := b.scene.gangs(b.options, round)
	for _, g := range gangs {
		for _, pod := range g.pods {
			pod.Spec.SchedulerName = scheduler
			if c.join != nil {
				c.join(pod, g)
			}
		}
	}
	first := gangOf("first", firstPods, 1).pods
	for _, pod := range first {
		pod.Spec.SchedulerName = scheduler
		// Where there are none of these, the gangs find their nodes as they were.
		pod.Spec.Affinity, pod.Annotations = nil, map[string]string{}
		pod.Spec.NodeSelector = map[string]string{fleet.LabelPool: "mn2b-a30"}
	}
	created, err := placing.Create(ctx, t.creators, first, placing.Pace{})
	if err != nil {
		return nil, err
	}
	became, err := t.seen.AwaitAll(ctx, created, b.patience)
	if err == nil && became.Unbound > 0 {
		err = fmt.Errorf("%d of %d pods have no node: %q", became.Unbound, len(first), became.Without)
	}
	return gangs, err
}

// gangOf are pods with the node affinity that Berth's webhook adds, so that everybody places them on
// the same nodes.
func gangOf(name string, count int, devices int64) gang {
	ask := fleet.Ask{Name: "gang", Accelerators: []string{model}, Resource: fleet.ResourceGPU,
		Devices: devices, Cores: 4, MemoryGiB: 40}
	g := gang{name: name}
	for i := range count {
		pod := ask.Pod(fmt.Sprintf("%s-%04d", name, i))
		fleet.Admit(pod)
		g.pods = append(g.pods, pod)
	}
	return g
}

func devicesOf(pod *corev1.Pod) int64 {
	requests := pod.Spec.Containers[0].Resources.Requests[fleet.ResourceGPU]
	return requests.Value()
}
