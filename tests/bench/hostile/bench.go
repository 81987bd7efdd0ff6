package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"path/filepath"
	"slices"
	"sync/atomic"
	"time"

	"berth.dev/berth/tests/bench/ask"
	"berth.dev/berth/tests/bench/figures"
	"berth.dev/berth/tests/bench/lists"
	"berth.dev/berth/tests/e2e/box"
)

const (
	awaitTimeout  = 60 * time.Second
	awaitInterval = 50 * time.Millisecond
)

// bench is a Berth as shipped that watches a cluster whose nodes can be replaced at will.
type bench struct {
	options
	cluster *lists.Server
	box     *box.Box
	client  *http.Client
	address string // of Berth, host:port

	generation int       // of the nodes' names
	quiet      box.Usage // before the first attack
}

func newBench(ctx context.Context, o options, progress io.Writer) (*bench, error) {
	b := &bench{options: o}
	b.cluster = lists.Start(lists.Cluster{Nodes: slices.Values(inOrder(b.pools(0)))})
	var err error
	b.box, err = box.Start(ctx, box.Options{Progress: progress,
		Berth: &box.BerthOptions{Kubeconfig: func(made *box.Box) (string, error) {
			path := filepath.Join(made.Dir, "cluster.kubeconfig")
			return path, b.cluster.WriteKubeconfig(path)
		}}})
	if err == nil {
		err = b.connect(ctx)
	}
	if err != nil {
		b.Close()
		return nil, err
	}
	return b, nil
}

// Close leaves nothing running.
func (b *bench) Close() {
	if b.box != nil {
		b.box.Stop()
	}
	b.cluster.Close()
}

// connect makes the honest client, and asks until Berth knows all nodes. All other programs have
// done what they are for: certificates and a configuration.
func (b *bench) connect(ctx context.Context) error {
	for _, process := range b.box.Processes() {
		if process != b.box.Berth.Process {
			process.Stop()
		}
	}
	address, err := url.Parse(b.box.Berth.URL)
	if err != nil {
		return err
	}
	b.address = address.Host
	if b.client, err = b.box.Berth.HTTPClient(); err != nil {
		return err
	}
	if err := b.settle(ctx); err != nil {
		return err
	}
	b.quiet, err = b.box.Berth.Usage()
	return err
}

// settle waits until Berth knows the nodes.
func (b *bench) settle(ctx context.Context) error {
	names := ask.NodeNames(b.pools(b.generation))
	return ask.AwaitAll(ctx, b.client, b.box.Berth.URL, names)
}

// awaitQuiet waits until Berth has none but the honest connection.
func (b *bench) awaitQuiet(ctx context.Context) error {
	for deadline := time.Now().Add(awaitTimeout); ; {
		samples, err := b.box.Berth.Metrics(ctx)
		if err != nil {
			return err
		}
		open := samples.Sum("berth_http_connections", onExtender)
		if open <= 1 {
			return nil
		}
		if time.Now().After(deadline) {
			return fmt.Errorf("%v connections are still open after %v", open, awaitTimeout)
		}
		if err := pause(ctx, awaitInterval); err != nil {
			return err
		}
	}
}

// measure has quiet and attacked blocks take turns.
func (b *bench) measure(ctx context.Context, a assault) (*result, error) {
	r := &result{assault: a.name}
	var err error
	if r.alone, err = b.alone(ctx, a); err != nil {
		return nil, err
	}
	for pair := range b.pairs {
		blocks := []assault{{}, a}
		came := make([][]sample, len(blocks))
		for _, turn := range figures.Order(pair, len(blocks)) {
			if came[turn], err = b.block(ctx, blocks[turn]); err != nil {
				return nil, err
			}
		}
		r.add(b.requests(), came[0], came[1])
	}
	return r, nil
}

// requests are how many nodes each kind of honest request names.
func (b *bench) requests() []int { return []int{b.nodes, b.few} }

// alone is what Berth does about an attack while nobody asks anything.
func (b *bench) alone(ctx context.Context, a assault) (pressure, error) {
	attackers, err := b.assail(ctx, a)
	if err != nil {
		return pressure{}, err
	}
	wait := func() error { return pause(ctx, b.replacing) }
	if a.replaces {
		wait, err = b.startReplacing(ctx, new(atomic.Int64))
	}
	var spent pressure
	if err == nil {
		spent, err = b.during(ctx, wait)
	}
	return spent, errors.Join(err, attackers.Stop())
}

// during is what Berth uses, and who comes to it, while something is done.
func (b *bench) during(ctx context.Context, do func() error) (pressure, error) {
	before, err := b.read(ctx)
	if err != nil {
		return pressure{}, err
	}
	if err := do(); err != nil {
		return pressure{}, err
	}
	after, err := b.read(ctx)
	return after.since(before), err
}

// assail returns when all attackers are there.
func (b *bench) assail(ctx context.Context, a assault) (*crowd, error) {
	if err := b.awaitQuiet(ctx); err != nil || len(a.groups) == 0 {
		return nil, err
	}
	return startCrowd(ctx,
		orders{Address: b.address, Client: b.box.Berth.ClientFiles(), Assault: a.name})
}

// block is what an honest client gets, for each kind of request.
func (b *bench) block(ctx context.Context, a assault) ([]sample, error) {
	attackers, err := b.assail(ctx, a)
	if err != nil {
		return nil, err
	}
	var samples []sample
	for _, count := range b.requests() {
		s, err := b.sample(ctx, count, a.replaces)
		if err != nil {
			return nil, errors.Join(err, attackers.Stop())
		}
		samples = append(samples, s)
	}
	return samples, attackers.Stop()
}

// sample asks about so many nodes; meanwhile all may be replaced.
func (b *bench) sample(ctx context.Context, count int, replaces bool) (sample, error) {
	if err := b.settle(ctx); err != nil {
		return sample{}, err
	}
	before, after := b.pools(b.generation), b.pools(b.generation+1)
	h, err := newHonest(b.client, b.box.Berth.URL, ask.NodeNames(before), ask.NodeNames(after), count)
	if err != nil {
		return sample{}, err
	}
	var stage atomic.Int64
	length, wait := b.length, func() error { return nil }
	if replaces {
		length = b.replacing
		if wait, err = b.startReplacing(ctx, &stage); err != nil {
			return sample{}, err
		}
	}
	var s sample
	s.pressure, err = b.during(ctx, func() error {
		var err error
		s.rate, err = h.rate(ctx, length, &stage)
		return err
	})
	return s, errors.Join(err, wait())
}
