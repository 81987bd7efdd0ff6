package lists

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strconv"
	"sync"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/watch"
)

// remembered is how many events are there for clients whose watch has ended and who come back.
const remembered = 1 << 16

// Change is an event about a node.
type Change struct {
	Type watch.EventType
	Node *corev1.Node
}

// Prepare encodes changes, which are told after all that were prepared before, so that telling them
// takes no time. The nodes themselves stay as they are.
func (s *Server) Prepare(changes []Change) ([][]byte, error) {
	var frame bytes.Buffer
	e, err := newEncoder(&frame)
	if err != nil {
		return nil, err
	}
	var frames [][]byte
	for _, c := range changes {
		s.prepared++
		node := *c.Node
		node.ResourceVersion = strconv.Itoa(listed + s.prepared)
		frame.Reset()
		if err := e.encode(c.Type, &node); err != nil {
			return nil, fmt.Errorf("%s of %s: %w", c.Type, node.Name, err)
		}
		frames = append(frames, bytes.Clone(frame.Bytes()))
	}
	return frames, nil
}

// Tell has those who watch nodes see events that Prepare encoded, in its order.
func (s *Server) Tell(frames [][]byte) { s.nodes.add(frames) }

// history is the events since the list, each a frame. Thread-safe.
type history struct {
	mu        sync.Mutex
	forgotten int // how many came before the frames
	frames    [][]byte
	grown     chan struct{} // closed when there are more
}

func newHistory() *history { return &history{grown: make(chan struct{})} }

func (h *history) add(frames [][]byte) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if excess := len(h.frames) + len(frames) - remembered; excess > 0 {
		excess = min(excess, len(h.frames))
		h.frames = slices.Clone(h.frames[excess:]) // whoever reads them has the old ones
		h.forgotten += excess
	}
	h.frames = append(h.frames, frames...)
	close(h.grown)
	h.grown = make(chan struct{})
}

// since are the events after the first so many, and what is closed when there are more.
func (h *history) since(count int) ([][]byte, <-chan struct{}, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	index := count - h.forgotten
	if index < 0 || index > len(h.frames) {
		return nil, nil, fmt.Errorf("resourceVersion %d is not one of %d to %d", listed+count,
			listed+h.forgotten, listed+h.forgotten+len(h.frames))
	}
	return h.frames[index:], h.grown, nil
}

// follow writes the events after the first so many as they come, until ctx ends or the client is
// gone or too slow.
func (h *history) follow(ctx context.Context, s *stream, count int) {
	for {
		frames, grown, err := h.since(count)
		if err != nil {
			return
		}
		count += len(frames)
		if _, err := s.Write(bytes.Join(frames, nil)); err != nil || s.flush() != nil {
			return
		}
		select {
		case <-grown:
		case <-ctx.Done():
			return
		}
	}
}
