package few

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"berth.dev/berth/tests/bench/placing"
	"berth.dev/berth/tests/e2e/fleet"
	"berth.dev/berth/tests/e2e/spread"
)

// Priority classes: those that hold devices could make way for those that come.
const (
	cheap = "cheap"
	dear  = "dear"
)

const (
	pool      = "mn2b-a30"
	model     = "A30"
	wanted    = "few-"    // what the names of pods begin with that only few nodes fit
	filler    = "filler-" // of pods that hold all devices of a node
	firstPods = 20        // are placed before the clock starts
)

// bench has etcd and kube-apiserver run throughout, the way's programs only while they are
// measured.
type bench struct {
	options
	cluster *placing.Cluster
}

// poolOf are the nodes with the model in a cluster of so many.
func poolOf(nodes int) fleet.Pool {
	pools := fleet.Scaled(nodes)
	return pools[slices.IndexFunc(pools, func(p fleet.Pool) bool { return p.Name == pool })]
}

// start makes the cluster, in which no node has a fault.
func start(ctx context.Context, o options, progress io.Writer) (*bench, error) {
	cluster, err := placing.Start(ctx, placing.Options{Nodes: o.nodes, Seed: o.seed, NoFaults: true,
		Progress: progress})
	if err != nil {
		return nil, err
	}
	cluster.Box.Berth.Stop()
	for name, value := range map[string]int32{cheap: 1, dear: 1000} {
		_, err := cluster.Box.Client.SchedulingV1().PriorityClasses().Create(ctx,
			&schedulingv1.PriorityClass{ObjectMeta: metav1.ObjectMeta{Name: name}, Value: value},
			metav1.CreateOptions{})
		if err != nil {
			cluster.Stop()
			return nil, fmt.Errorf("create PriorityClass %s: %w", name, err)
		}
	}
	return &bench{options: o, cluster: cluster}, nil
}

// measure has a way place pods that few nodes fit, beside others. It leaves the cluster without
// pods.
func (b *bench) measure(
	ctx context.Context, w placing.Way, others float64, seed uint64,
) (outcome, error) {
	if err := fleet.CreatePods(ctx, b.cluster.Box.Client, b.fillers(seed)); err != nil {
		return outcome{}, fmt.Errorf("fill the nodes: %w", err)
	}
	measured, err := b.place(ctx, w, others, seed)
	b.cluster.StopWay()
	if err != nil {
		return outcome{}, err
	}
	return measured, b.cluster.Clear(ctx)
}

// fillers hold every device of the model but those of the nodes that are to fit.
func (b *bench) fillers(seed uint64) []*corev1.Pod {
	nodes := poolOf(b.nodes)
	first := rand.New(rand.NewPCG(seed, 8)).IntN(nodes.Nodes - b.fitting + 1)
	ask := fleet.Ask{Name: "filler", Resource: nodes.Resource, Devices: nodes.Devices, Cores: 12,
		MemoryGiB: 80}
	var pods []*corev1.Pod
	for index := range nodes.Nodes {
		if index >= first && index < first+b.fitting {
			continue
		}
		pod := ask.Pod(filler + nodes.NodeName(index))
		pod.Spec.NodeName, pod.Spec.PriorityClassName = nodes.NodeName(index), cheap
		pods = append(pods, pod)
	}
	return pods
}

func (b *bench) place(
	ctx context.Context, w placing.Way, others float64, seed uint64,
) (outcome, error) {
	begin := time.Now()
	seen, err := placing.Watch(ctx, b.cluster.Box.Client)
	if err != nil {
		return outcome{}, err
	}
	defer seen.Stop()
	if _, err := b.cluster.StartWay(ctx, w); err != nil {
		return outcome{}, err
	}
	creators, err := placing.Creators(b.cluster.Box.Config)
	if err != nil {
		return outcome{}, err
	}
	scheduler, err := w.SchedulerName(b.cluster.Shipped())
	if err != nil {
		return outcome{}, err
	}
	create := func(pods []*corev1.Pod, rate float64) (placing.Outcome, error) {
		for _, pod := range pods {
			pod.Spec.SchedulerName = scheduler
		}
		created, err := placing.Create(ctx, creators, pods, placing.Pace{PerSecond: rate})
		if err != nil {
			return placing.Outcome{}, err
		}
		return seen.AwaitAll(ctx, created, b.patience)
	}
	if _, err := create(b.othersNamed("first", ^seed, firstPods), firstPods); err != nil {
		return outcome{}, err
	}
	became, err := create(b.stream(others, seed), others+b.rate)
	if err != nil {
		return outcome{}, err
	}
	o := newOutcome(became, seen.Deleted())
	if o.Preemptions, err = b.preemptions(ctx); err != nil || o.Evicted == 0 {
		return o, err
	}
	o.Details, err = b.evictions(ctx, begin)
	return o, err
}

// preemptions are how often the extender has said what of pods that were to be evicted.
func (b *bench) preemptions(ctx context.Context) (map[string]int, error) {
	samples, err := b.cluster.Box.Berth.Metrics(ctx)
	outcomes := map[string]int{}
	for _, sample := range samples.With("berth_preemptions_total") {
		if sample.Value > 0 {
			outcomes[sample.Label("outcome")] = int(sample.Value)
		}
	}
	return outcomes, err
}

// evictions are what kube-scheduler has said of them since the time.
func (b *bench) evictions(ctx context.Context, since time.Time) ([]string, error) {
	events, err := b.cluster.Box.Client.CoreV1().Events(metav1.NamespaceDefault).List(ctx,
		metav1.ListOptions{FieldSelector: "reason=Preempted"})
	if err != nil {
		return nil, err
	}
	var said []string
	for _, event := range events.Items {
		if at := event.CreationTimestamp; !at.Time.Before(since.Truncate(time.Second)) {
			said = append(said, fmt.Sprintf("%s after %.0f s: %s", event.InvolvedObject.Name,
				at.Sub(since).Seconds(), event.Message))
		}
	}
	return said, nil
}

// stream are the pods that few nodes fit, in equal distances among the others.
func (b *bench) stream(others float64, seed uint64) []*corev1.Pod {
	beside := b.othersNamed("other", seed, int(float64(b.pods)*others/b.rate))
	var all []*corev1.Pod
	for i := range b.pods {
		all = append(all, beside[len(beside)*i/b.pods:len(beside)*(i+1)/b.pods]...)
		all = append(all, b.wantedPod(i))
	}
	return all
}

// wantedPod names its model by annotation alone, as a pod of a namespace that only warns does.
func (b *bench) wantedPod(index int) *corev1.Pod {
	ask := fleet.Ask{Name: "few", Accelerators: []string{model}, Resource: fleet.ResourceGPU, Devices: 1,
		Cores: 12, MemoryGiB: 80}
	pod := ask.Pod(fmt.Sprintf("%s%04d", wanted, index))
	pod.Spec.PriorityClassName = dear
	return pod
}

// othersNamed are pods of one device of other models, of which there is enough.
func (b *bench) othersNamed(name string, seed uint64, count int) []*corev1.Pod {
	ask := fleet.Ask{Name: "other", Resource: fleet.ResourceGPU, Devices: 1, Cores: 4, MemoryGiB: 40}
	random := rand.New(rand.NewPCG(seed, 9))
	models := []string{"V100", "A100", "V100"}
	var pods []*corev1.Pod
	for i := range count {
		ask.Accelerators = models[random.IntN(len(models)):][:1]
		pod := ask.Pod(fmt.Sprintf("%s-%05d", name, i))
		pod.Spec.PriorityClassName = dear // else those that few nodes fit would go before them
		pods = append(pods, pod)
	}
	return pods
}

func isWanted(pod string) bool { return strings.Contains(pod, "/"+wanted) }

func newOutcome(became placing.Outcome, gone map[string]string) outcome {
	waits := became.SecondsOf(isWanted)
	o := outcome{WaitP50: spread.Quantile(waits, 0.5), WaitP99: spread.Quantile(waits, 0.99),
		WaitMax: slices.Max(waits), Nominated: became.Nominated, Refused: became.Refused,
		Unbound: became.Unbound}
	beside := became.SecondsOf(func(pod string) bool { return !isWanted(pod) })
	if len(beside) > 0 {
		o.OthersP99 = spread.Quantile(beside, 0.99)
	}
	for pod := range gone {
		if strings.Contains(pod, "/"+filler) {
			o.Evicted++
		}
	}
	return o
}
