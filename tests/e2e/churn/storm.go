package churn

import (
	"context"
	"math/rand/v2"
	"sync"
	"time"

	"k8s.io/client-go/kubernetes"

	"berth.dev/berth/tests/e2e/fleet"
)

// Excluding are the conditions that a storm puts on nodes; all keep pods away by Berth's defaults.
var Excluding = []string{"GPUIsLost", "GPURuntimeError", "GPUPendingPage", "DStateProcess"}

// Weather says how a storm breaks nodes.
type Weather struct {
	Nodes     []string      // that may break, one fault at a time
	Every     time.Duration // a node breaks
	Lasts     Span          // a fault
	Seed      uint64        // decides which node, which condition, and who sets it
	PatchOnly bool          // no fault by KWOK's stages; default: half of them
}

// Storm breaks nodes and repairs them until it is stopped: by patches of the node's status, and by
// KWOK's stages. Thread-safe.
type Storm struct {
	client  kubernetes.Interface
	weather Weather
	random  *rand.Rand
	cancel  context.CancelFunc
	ended   sync.WaitGroup

	mu     sync.Mutex // held while anything is patched
	active []fault
	begun  int
}

// fault is a condition on a node, until it is repaired.
type fault struct {
	node, condition string
	byStage         bool
	until           time.Time
}

// StartStorm breaks nodes until Stop or the end of ctx.
func StartStorm(ctx context.Context, client kubernetes.Interface, weather Weather) *Storm {
	ctx, cancel := context.WithCancel(ctx)
	s := &Storm{client: client, weather: weather, cancel: cancel,
		random: rand.New(rand.NewPCG(weather.Seed, 4))}
	s.ended.Go(func() { s.rage(ctx) })
	return s
}

// Pause keeps everything as it is until the function that it returns is called.
func (s *Storm) Pause() (resume func()) {
	s.mu.Lock()
	return s.mu.Unlock
}

// Stop ends the storm and repairs what is still broken.
func (s *Storm) Stop(ctx context.Context) error {
	s.cancel()
	s.ended.Wait()
	s.mu.Lock()
	defer s.mu.Unlock()
	for ; len(s.active) > 0; s.active = s.active[1:] {
		if err := s.set(ctx, s.active[0], false); err != nil {
			return err
		}
	}
	return nil
}

// Begun is how many faults there were so far.
func (s *Storm) Begun() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.begun
}

func (s *Storm) rage(ctx context.Context) {
	ticker := time.NewTicker(s.weather.Every)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case now := <-ticker.C:
			s.gust(ctx, now)
		}
	}
}

// gust repairs what has lasted long enough and breaks one more node. What fails, because the API
// server is away, is tried again with the next.
func (s *Storm) gust(ctx context.Context, now time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var lasting []fault
	for _, f := range s.active {
		if now.Before(f.until) || s.set(ctx, f, false) != nil {
			lasting = append(lasting, f)
		}
	}
	s.active = lasting
	f := s.draw(now)
	if s.isBroken(f.node) {
		return
	}
	// Even if the call fails the fault may have been set: it has to be repaired.
	s.active = append(s.active, f)
	if s.set(ctx, f, true) == nil {
		s.begun++
	}
}

func (s *Storm) draw(now time.Time) fault {
	return fault{
		node:      s.weather.Nodes[s.random.IntN(len(s.weather.Nodes))],
		condition: Excluding[s.random.IntN(len(Excluding))],
		byStage:   s.random.IntN(2) == 0 && !s.weather.PatchOnly,
		until:     now.Add(s.weather.Lasts.draw(s.random)),
	}
}

func (s *Storm) isBroken(node string) bool {
	for _, f := range s.active {
		if f.node == node {
			return true
		}
	}
	return false
}

func (s *Storm) set(ctx context.Context, f fault, broken bool) error {
	if !f.byStage {
		return fleet.SetCondition(ctx, s.client, f.node, f.condition, broken)
	}
	condition := ""
	if broken {
		condition = f.condition
	}
	return fleet.SetFaultStage(ctx, s.client, f.node, condition)
}
