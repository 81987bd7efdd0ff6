package main

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"berth.dev/berth/tests/e2e/box"
)

const (
	namespace    = "research"
	goneTimeout  = time.Minute
	goneInterval = 50 * time.Millisecond
)

// way is one way to have pods admitted.
type way struct {
	name       string
	register   func(context.Context) error
	deregister func(context.Context) error

	rates []float64 // pods a second, a block each
	costs []float64 // milliseconds of CPU that kube-apiserver takes for a pod
}

// bench creates pods in ways that take turns.
type bench struct {
	options
	box     *box.Box
	mutator *box.Mutator
	ways    []*way
	works   []work
}

// prepare leaves etcd, kube-apiserver and the webhooks alone on the machine: nobody watches pods.
func (b *bench) prepare(ctx context.Context) error {
	labelled := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{
		Name: namespace, Labels: map[string]string{box.LabelAdmission: "enforce"},
	}}
	_, err := b.box.Client.CoreV1().Namespaces().Create(ctx, labelled, metav1.CreateOptions{})
	if err != nil {
		return err
	}
	if err := b.awaitServiceAccount(ctx); err != nil {
		return err
	}
	for _, process := range []*box.Process{b.box.Scheduler, b.box.Kwok, b.box.ControllerManager} {
		process.Stop()
	}
	return b.addWays(ctx)
}

func (b *bench) addWays(ctx context.Context) error {
	b.ways = []*way{{name: "no webhook", register: nothing, deregister: nothing}}
	var err error
	if b.mutator, err = b.box.StartMutator("nothing", nil); err != nil {
		return err
	}
	idle := box.Registration{Name: "nothing", Probe: namespace}
	b.addWay("Go webhook that does nothing", idle,
		func(ctx context.Context) error { return b.box.RegisterMutator(ctx, idle, b.mutator) })
	admission, err := b.box.NewAdmission("berth-admission", everyPolicy)
	if err != nil {
		return err
	}
	if err := admission.Start(ctx); err != nil {
		return err
	}
	whole := box.Registration{Name: "berth", Probe: namespace}
	b.addWay("Berth", whole,
		func(ctx context.Context) error { return b.box.RegisterAdmission(ctx, whole, admission) })
	if err := b.addWorks(ctx, b.ways[len(b.ways)-1]); err != nil {
		return err
	}
	if b.parts {
		part := box.Registration{Name: "berth-mutating", Probe: namespace, WithoutValidation: true}
		b.addWay("Berth, mutating alone", part,
			func(ctx context.Context) error { return b.box.RegisterAdmission(ctx, part, admission) })
	}
	return nil
}

func nothing(context.Context) error { return nil }

func (b *bench) addWay(name string, r box.Registration, register func(context.Context) error) {
	b.ways = append(b.ways, &way{name: name, register: register,
		deregister: func(ctx context.Context) error { return b.box.Deregister(ctx, r) }})
}

func (b *bench) stop() {
	if b.mutator != nil {
		b.mutator.Stop()
	}
}

func (b *bench) awaitServiceAccount(ctx context.Context) error {
	for {
		_, err := b.box.Client.CoreV1().ServiceAccounts(namespace).Get(ctx, "default", metav1.GetOptions{})
		if err == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("no service account: %w", err)
		case <-time.After(goneInterval):
		}
	}
}

// block creates pods in one way and notes how long it took.
func (b *bench) block(ctx context.Context, do work, w *way) error {
	if err := w.register(ctx); err != nil {
		return err
	}
	usedBefore, err := cpuTime(b.box.APIServer.Pid())
	if err != nil {
		return err
	}
	begin := time.Now()
	if err := b.create(ctx, do); err != nil {
		return err
	}
	took := time.Since(begin)
	used, err := cpuTime(b.box.APIServer.Pid())
	if err != nil {
		return err
	}
	w.rates = append(w.rates, float64(b.pods)/took.Seconds())
	w.costs = append(w.costs, (used-usedBefore).Seconds()*1000/float64(b.pods))
	if err := w.deregister(ctx); err != nil {
		return err
	}
	return b.clear(ctx)
}

func (b *bench) create(ctx context.Context, do work) error {
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

func (b *bench) clear(ctx context.Context) error {
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
