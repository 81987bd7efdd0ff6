package main

import (
	"context"
	"io"
	"sync"
	"sync/atomic"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"berth.dev/berth/tests/e2e/box"
)

const (
	labelWay     = "bench.berth.dev/way"
	goneTimeout  = time.Minute
	goneInterval = 20 * time.Millisecond
)

// way is one way to have pods admitted: that of a namespace.
type way struct {
	name      string
	namespace string

	rates []float64 // pods a second, a block each
	costs []float64 // milliseconds of CPU that kube-apiserver takes for a pod
}

// bench creates pods in ways that take turns.
type bench struct {
	options
	box      *box.Box
	mutator  *box.Mutator
	ways     []*way
	works    []work
	progress io.Writer
}

// prepare makes a namespace for every way and leaves etcd, kube-apiserver and the webhooks alone on
// the machine: nobody watches pods.
func (b *bench) prepare(ctx context.Context) error {
	b.ways = []*way{{name: "no webhook", namespace: "none"},
		{name: "Go webhook that does nothing", namespace: "nothing"}, {name: "Berth", namespace: "berth"}}
	if b.parts {
		b.ways = append(b.ways, &way{name: "Berth, mutating alone", namespace: "berth-mutating"},
			&way{name: "Berth mutating, a policy judging", namespace: "berth-policy"})
	}
	for _, w := range b.ways {
		labels := map[string]string{box.LabelAdmission: "enforce", labelWay: w.namespace}
		if err := b.box.CreateNamespace(ctx, w.namespace, labels); err != nil {
			return err
		}
	}
	for _, process := range []*box.Process{b.box.Scheduler, b.box.Kwok, b.box.ControllerManager} {
		process.Stop()
	}
	if err := b.register(ctx); err != nil {
		return err
	}
	return b.addWorks(ctx, "berth")
}

// register has every way's webhooks asked about its namespace, and about no other.
func (b *bench) register(ctx context.Context) error {
	var err error
	if b.mutator, err = b.box.StartMutator("nothing", nil); err != nil {
		return err
	}
	if err := b.box.RegisterMutator(ctx, registration("nothing"), b.mutator); err != nil {
		return err
	}
	admission, err := b.box.NewAdmission("berth-admission", everyPolicy)
	if err != nil {
		return err
	}
	if err := admission.Start(ctx); err != nil {
		return err
	}
	if err := b.box.RegisterAdmission(ctx, registration("berth"), admission); err != nil || !b.parts {
		return err
	}
	for _, namespace := range []string{"berth-mutating", "berth-policy"} {
		part := registration(namespace)
		part.WithoutValidation = true
		if err := b.box.RegisterAdmission(ctx, part, admission); err != nil {
			return err
		}
	}
	return b.judgeByPolicy(ctx, "berth-policy")
}

func registration(namespace string) box.Registration {
	return box.Registration{Name: namespace, Probe: namespace,
		Namespaces: []metav1.LabelSelectorRequirement{{Key: labelWay,
			Operator: metav1.LabelSelectorOpIn, Values: []string{namespace}}}}
}

func (b *bench) stop() {
	if b.mutator != nil {
		b.mutator.Stop()
	}
}

// block creates pods in one way and notes how long it took.
func (b *bench) block(ctx context.Context, do work, w *way) error {
	before, err := b.box.APIServer.Usage()
	if err != nil {
		return err
	}
	begin := time.Now()
	if err := b.create(ctx, do, w.namespace); err != nil {
		return err
	}
	took := time.Since(begin)
	after, err := b.box.APIServer.Usage()
	if err != nil {
		return err
	}
	w.rates = append(w.rates, float64(b.pods)/took.Seconds())
	w.costs = append(w.costs, (after.CPUSeconds-before.CPUSeconds)*1000/float64(b.pods))
	return b.clear(ctx, w.namespace)
}

func (b *bench) create(ctx context.Context, do work, namespace string) error {
	var next atomic.Int64
	var workers sync.WaitGroup
	failed := make(chan error, b.workers)
	for range b.workers {
		workers.Go(func() {
			for i := next.Add(1); i <= int64(b.pods); i = next.Add(1) {
				_, err := do.client.CoreV1().Pods(namespace).
					Create(ctx, do.pod(int(i)), metav1.CreateOptions{})
				if err != nil {
					failed <- err
					return
				}
			}
		})
	}
	workers.Wait()
	close(failed)
	return <-failed // nil when nobody failed
}

func (b *bench) clear(ctx context.Context, namespace string) error {
	ctx, cancel := context.WithTimeout(ctx, goneTimeout)
	defer cancel()
	pods := b.box.Client.CoreV1().Pods(namespace)
	err := pods.DeleteCollection(ctx, metav1.DeleteOptions{GracePeriodSeconds: new(int64)},
		metav1.ListOptions{})
	for err == nil {
		var left *corev1.PodList
		if left, err = pods.List(ctx, metav1.ListOptions{Limit: 1}); err == nil && len(left.Items) == 0 {
			return nil
		}
		time.Sleep(goneInterval)
	}
	return err
}
