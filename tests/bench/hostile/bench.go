package main

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"sync/atomic"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"

	"berth.dev/berth/tests/bench/ask"
	"berth.dev/berth/tests/e2e/attack"
	"berth.dev/berth/tests/e2e/box"
	"berth.dev/berth/tests/e2e/fleet"
)

const (
	// slices of a replacement, spread over a block
	slicesOfBlock = 100
	awaitTimeout  = 60 * time.Second
	pollInterval  = 50 * time.Millisecond
)

// bench is a Berth that watches an API server of nodes that can be replaced at will.
type bench struct {
	options
	api    *api
	box    *box.Box
	client *http.Client
	target attack.Target

	generation int // of the nodes' names
	told       int // frames so far
	quiet      int // resident KiB before the first attack
	most       int // and at the end of any block
}

func newBench(ctx context.Context, o options) (*bench, error) {
	b := &bench{options: o}
	var err error
	if b.api, err = startAPI(fleet.Nodes(b.pools(0), time.Now())); err != nil {
		return nil, err
	}
	b.box, err = box.Start(ctx, box.Options{Progress: os.Stderr,
		Berth: &box.BerthOptions{Kubeconfig: b.writeKubeconfig}})
	if err != nil {
		b.Close()
		return nil, err
	}
	// They have done what they are for: certificates and a configuration.
	for _, process := range b.box.Processes() {
		if process != b.box.Berth.Process {
			process.Stop()
		}
	}
	if err := b.connect(ctx); err != nil {
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
	b.api.Close()
}

func (b *bench) writeKubeconfig(box *box.Box) (string, error) {
	path := filepath.Join(box.Dir, "api.kubeconfig")
	config := clientcmdapi.NewConfig()
	config.Clusters["api"] = &clientcmdapi.Cluster{Server: b.api.server.URL}
	config.Contexts["api"] = &clientcmdapi.Context{Cluster: "api"}
	config.CurrentContext = "api"
	return path, clientcmd.WriteToFile(*config, path)
}

// connect makes the honest client, and asks until Berth knows all nodes.
func (b *bench) connect(ctx context.Context) error {
	config, err := b.box.Berth.ClientTLS()
	if err != nil {
		return err
	}
	address, err := url.Parse(b.box.Berth.URL)
	if err != nil {
		return err
	}
	b.target = attack.Target{Address: address.Host, TLS: config}
	b.client = &http.Client{Transport: &http.Transport{TLSClientConfig: config.Clone()}}
	if err := b.settle(ctx); err != nil {
		return err
	}
	b.quiet, err = b.resident()
	return err
}

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
		open := samples.Sum("berth_http_connections", `listener="extender"`)
		if open <= 1 {
			return nil
		}
		if time.Now().After(deadline) {
			return fmt.Errorf("%v connections are still open after %v", open, awaitTimeout)
		}
		if err := pause(ctx, pollInterval); err != nil {
			return err
		}
	}
}

func (b *bench) resident() (int, error) {
	usage, err := b.box.Berth.Usage()
	return usage.ResidentKiB, err
}

// measure has quiet and attacked blocks take turns.
func (b *bench) measure(ctx context.Context, a assault) ([]*result, error) {
	cost, err := b.cost(ctx, a)
	if err != nil {
		return nil, err
	}
	results := []*result{
		{assault: a.name, cost: cost, request: fmt.Sprintf("%d names", b.nodes)},
		{assault: a.name, cost: cost, request: fmt.Sprintf("%d names", b.few)},
	}
	for pair := range b.pairs {
		var quiet, attacked []float64
		for turn := range 2 {
			var err error
			if (turn == 0) == (pair%2 == 0) {
				quiet, err = b.block(ctx, assault{})
			} else {
				attacked, err = b.block(ctx, a)
			}
			if err != nil {
				return nil, err
			}
		}
		for i, r := range results {
			r.quiet = append(r.quiet, quiet[i])
			r.attacked = append(r.attacked, attacked[i])
		}
	}
	return results, nil
}

// cost is what share of a core Berth needs for an attack alone. Unlike throughput it does not tell
// of what the attackers take of the machine, nor of others.
func (b *bench) cost(ctx context.Context, a assault) (float64, error) {
	crowd, err := b.assail(ctx, a)
	if err != nil {
		return 0, err
	}
	defer crowd.Stop()
	before, err := b.box.Berth.Usage()
	if err != nil {
		return 0, err
	}
	begin := time.Now()
	if a.replaces {
		frames, err := b.nextGeneration()
		if err != nil {
			return 0, err
		}
		begin = time.Now()
		b.replace(frames, new(atomic.Int64))
	} else if err := pause(ctx, b.replacing); err != nil {
		return 0, err
	}
	after, err := b.box.Berth.Usage()
	return (after.CPUSeconds - before.CPUSeconds) / time.Since(begin).Seconds(), err
}

// assail returns when all attackers are there.
func (b *bench) assail(ctx context.Context, a assault) (*attack.Crowd, error) {
	if err := b.awaitQuiet(ctx); err != nil {
		return nil, err
	}
	crowd := attack.Start(ctx, b.target, a.groups...)
	for crowd.Arrived() < a.size() {
		if err := pause(ctx, pollInterval); err != nil {
			crowd.Stop()
			return nil, err
		}
	}
	return crowd, nil
}

// block is how many requests a second are answered, of each kind of request.
func (b *bench) block(ctx context.Context, a assault) ([]float64, error) {
	crowd, err := b.assail(ctx, a)
	if err != nil {
		return nil, err
	}
	defer crowd.Stop()
	var rates []float64
	for _, count := range []int{b.nodes, b.few} {
		rate, err := b.rate(ctx, count, a.replaces)
		if err != nil {
			return nil, err
		}
		rates = append(rates, rate)
	}
	resident, err := b.resident()
	b.most = max(b.most, resident)
	return rates, err
}

// rate asks about the first nodes; meanwhile all may be replaced.
func (b *bench) rate(ctx context.Context, count int, replaces bool) (float64, error) {
	if err := b.settle(ctx); err != nil {
		return 0, err
	}
	before, after := b.pools(b.generation), b.pools(b.generation+1)
	h, err := newHonest(b.client, b.box.Berth.URL, ask.NodeNames(before)[:count],
		ask.NodeNames(after)[:count])
	if err != nil {
		return 0, err
	}
	var stage atomic.Int64
	if !replaces {
		return h.rate(ctx, b.length, &stage)
	}
	frames, err := b.nextGeneration()
	if err != nil {
		return 0, err
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		b.replace(frames, &stage)
	}()
	defer func() { <-done }()
	return h.rate(ctx, b.replacing, &stage)
}

// nextGeneration is what has to be told for all nodes to be replaced.
func (b *bench) nextGeneration() ([][]byte, error) {
	before, after := b.pools(b.generation), b.pools(b.generation+1)
	frames, err := replacement(inOrder(before), inOrder(after), b.told)
	b.told += len(frames)
	b.generation++
	return frames, err
}

// replace tells of the frames over the length of a block.
func (b *bench) replace(frames [][]byte, stage *atomic.Int64) {
	begin := time.Now()
	for i := range slicesOfBlock {
		time.Sleep(time.Until(begin.Add(b.replacing * time.Duration(i) / slicesOfBlock)))
		b.api.Tell(frames[len(frames)*i/slicesOfBlock : len(frames)*(i+1)/slicesOfBlock])
		stage.Store(int64((i + 1) * stages / slicesOfBlock))
	}
}

// inOrder are the nodes in the order in which honest requests name them.
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

func pause(ctx context.Context, length time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(length):
		return nil
	}
}
