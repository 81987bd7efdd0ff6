package losses

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	listers "k8s.io/client-go/listers/core/v1"

	"berth.dev/berth/tests/bench/placing"
	"berth.dev/berth/tests/e2e/fleet"
)

const (
	lookEvery = 100 * time.Millisecond
	// The jobs ask for this share of the devices.
	load = 0.8
	// What a Job waits for before it replaces a pod. The Job controller waits for ten seconds and more,
	// which in a turn of some minutes would hide what the pods lose.
	replacedAfter = time.Second
	leastWork     = time.Minute
	mostWork      = 5 * time.Minute
	atOnce        = 16 // of the first pods
)

const (
	isRunning = `{"status":{"phase":"Running","conditions":[{"type":"Ready","status":"True"}]}}`
	isOver    = `{"status":{"phase":%q,"conditions":[{"type":"Ready","status":"False"}]}}`
)

// turn plays what is around the pods: their Jobs, the kubelets, the faults and their detectors.
type turn struct {
	options
	client    kubernetes.Interface
	pods      listers.PodLister
	scheduler string
	owner     metav1.OwnerReference // of all pods, and of the turn's
	random    *rand.Rand
	began     time.Time
	faults    map[string][]fault // by node
	changes   []change           // still to come
	jobs      []*attempt
	made      int
	ledger    ledger
	outcome   outcome
}

// attempt is a job with its present pod.
type attempt struct {
	job   job
	pod   string        // empty: made again at due
	due   time.Duration // when the next pod is made
	node  string        // empty: none yet
	bound time.Duration
}

// measure has a way place the pods of a turn. It leaves the cluster without pods and faults.
func measure(
	ctx context.Context, o options, cluster *placing.Cluster, w placing.Way, seed uint64,
) (outcome, error) {
	if _, err := cluster.StartWay(ctx, w); err != nil {
		return outcome{}, err
	}
	scheduler, err := w.SchedulerName(cluster.Shipped())
	if err != nil {
		return outcome{}, err
	}
	factory := informers.NewSharedInformerFactory(cluster.Box.Client, 0)
	t := &turn{options: o, client: cluster.Box.Client, pods: factory.Core().V1().Pods().Lister(),
		scheduler: scheduler, random: rand.New(rand.NewPCG(seed, 13)), faults: map[string][]fault{},
		ledger: ledger{checkpoint: o.checkpoint}}
	watching, cancel := context.WithCancel(ctx)
	defer factory.Shutdown()
	defer cancel()
	factory.Core().V1().Pods().Informer()
	factory.Start(watching.Done())
	factory.WaitForCacheSync(watching.Done())
	if err := t.makeOwner(ctx); err != nil {
		return outcome{}, err
	}
	err = t.play(ctx, seed)
	cluster.StopWay()
	return t.outcome, errors.Join(err, t.repair(ctx), cluster.Clear(ctx))
}

// makeOwner makes what stands for the controller of the pods: Berth evicts none that nobody makes anew.
func (t *turn) makeOwner(ctx context.Context) error {
	owner, err := t.client.CoreV1().ConfigMaps(metav1.NamespaceDefault).Create(ctx,
		&corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{GenerateName: "work-"}}, metav1.CreateOptions{})
	if err != nil {
		return fmt.Errorf("create the owner of the pods: %w", err)
	}
	t.owner = metav1.OwnerReference{APIVersion: "v1", Kind: "ConfigMap", Name: owner.Name,
		UID: owner.UID, Controller: new(true)}
	return nil
}

func (t *turn) play(ctx context.Context, seed uint64) error {
	pool := poolOf(t.nodes)
	var nodes []string
	for i := range pool.Nodes {
		nodes = append(nodes, pool.NodeName(i))
	}
	faults := trace(t.options, nodes, seed)
	for _, f := range faults {
		t.faults[f.node] = append(t.faults[f.node], f)
		t.outcome.Broken += (min(f.ends, t.length) - f.begins).Seconds() * float64(pool.Devices)
	}
	t.outcome.Faults = len(faults)
	t.changes = changes(faults, t.detection)
	t.fill(int64(float64(pool.Nodes) * float64(pool.Devices) * load))
	t.began = time.Now()
	ticker := time.NewTicker(lookEvery)
	defer ticker.Stop()
	for {
		now := time.Since(t.began)
		if now >= t.length {
			t.close(t.length)
			return nil
		}
		if err := t.round(ctx, now); err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-ticker.C:
		}
	}
}

// fill makes jobs that ask for so many devices. Each is replaced by another one when it has ended.
func (t *turn) fill(devices int64) {
	for devices > 0 {
		j := t.nextJob()
		devices -= j.devices
		// The first ones are in the middle of their work.
		j.done = time.Duration(t.random.Float64() * float64(j.needs))
		j.done -= j.done % t.checkpoint
		t.jobs = append(t.jobs, &attempt{job: j})
	}
}

func (t *turn) nextJob() job {
	t.made++
	return job{name: fmt.Sprintf("job-%04d", t.made), devices: int64(1) << t.random.IntN(4),
		needs: leastWork + time.Duration(t.random.Float64()*float64(mostWork-leastWork))}
}

// round does what is due.
func (t *turn) round(ctx context.Context, now time.Duration) error {
	for len(t.changes) > 0 && t.changes[0].at <= now {
		c := t.changes[0]
		err := fleet.SetCondition(ctx, t.client, c.fault.node, c.fault.condition, c.broken)
		if err != nil {
			return fmt.Errorf("condition of %s: %w", c.fault.node, err)
		}
		t.changes = t.changes[1:]
	}
	known, err := t.pods.Pods(metav1.NamespaceDefault).List(labels.Everything())
	if err != nil {
		return err
	}
	byName := map[string]*corev1.Pod{}
	for _, pod := range known {
		byName[pod.Name] = pod
	}
	made := 0
	for _, a := range t.jobs {
		if a.pod == "" && a.due <= now && made < atOnce {
			made++
			if err := t.create(ctx, a); err != nil {
				return err
			}
		} else if a.pod != "" {
			if err := t.look(ctx, a, byName[a.pod], now); err != nil {
				return err
			}
		}
	}
	return nil
}

func (t *turn) create(ctx context.Context, a *attempt) error {
	ask := fleet.Ask{Name: "work", Accelerators: []string{"V100"}, Resource: fleet.ResourceGPU,
		Devices: a.job.devices, Cores: 4, MemoryGiB: 40}
	a.job.tries++
	pod := ask.Pod(fmt.Sprintf("%s-%d", a.job.name, a.job.tries))
	fleet.Admit(pod)
	pod.Spec.SchedulerName = t.scheduler
	pod.Annotations["berth.dev/checkpoint"] = "true"
	pod.OwnerReferences = []metav1.OwnerReference{t.owner}
	if _, err := t.client.CoreV1().Pods(pod.Namespace).Create(ctx, pod, metav1.CreateOptions{}); err != nil {
		return fmt.Errorf("create %s: %w", pod.Name, err)
	}
	a.pod, a.node = pod.Name, ""
	return nil
}

// look notes what is new of a pod that was made.
func (t *turn) look(ctx context.Context, a *attempt, pod *corev1.Pod, now time.Duration) error {
	if a.node == "" {
		if pod == nil || pod.Spec.NodeName == "" {
			return nil // the watch has not told of it, or it waits
		}
		a.node, a.bound = pod.Spec.NodeName, now
		return t.patch(ctx, a.pod, isRunning)
	}
	became := fateOf(t.faults[a.node], a.bound, a.job.needs-a.job.done, now)
	evicted := pod == nil || pod.DeletionTimestamp != nil
	if became.state == running && !evicted {
		return nil
	}
	t.ledger.end(&a.job, now-a.bound, became)
	pods := a.pod
	a.pod, a.due = "", now+replacedAfter
	switch {
	case became.state == succeeded:
		t.outcome.Succeeded++
		a.job = t.nextJob()
	case evicted:
		t.outcome.Evicted++
	default:
		t.outcome.Failed++
	}
	if evicted {
		return nil
	}
	phase := corev1.PodFailed
	if became.state == succeeded {
		phase = corev1.PodSucceeded
	}
	if err := t.patch(ctx, pods, fmt.Sprintf(isOver, phase)); err != nil {
		return err
	}
	err := t.client.CoreV1().Pods(metav1.NamespaceDefault).Delete(ctx, pods, metav1.DeleteOptions{})
	return ignoreNotFound(err)
}

func (t *turn) patch(ctx context.Context, pod, status string) error {
	_, err := t.client.CoreV1().Pods(metav1.NamespaceDefault).Patch(ctx, pod,
		types.StrategicMergePatchType, []byte(status), metav1.PatchOptions{}, "status")
	return ignoreNotFound(err) // evicted
}

func ignoreNotFound(err error) error {
	if apierrors.IsNotFound(err) {
		return nil
	}
	return err
}

// close notes what still runs at the end.
func (t *turn) close(now time.Duration) {
	for _, a := range t.jobs {
		if a.pod == "" || a.node == "" {
			continue
		}
		became := fateOf(t.faults[a.node], a.bound, a.job.needs-a.job.done, now)
		if became.state == failed {
			t.ledger.end(&a.job, now-a.bound, became)
		} else {
			t.ledger.stillRuns(&a.job, now-a.bound, became)
		}
	}
	t.outcome.Held, t.outcome.Lasting = t.ledger.held.Seconds(), t.ledger.lasting.Seconds()
}

// repair takes away the conditions of faults that have not ended.
func (t *turn) repair(ctx context.Context) error {
	var failures []error
	for _, c := range t.changes {
		if !c.broken {
			failures = append(failures,
				fleet.SetCondition(ctx, t.client, c.fault.node, c.fault.condition, false))
		}
	}
	return errors.Join(failures...)
}
