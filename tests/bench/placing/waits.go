package placing

import (
	"context"
	"errors"
	"maps"
	"time"
)

// Outcome is what became of pods that were created.
type Outcome struct {
	Waits     map[string]time.Duration // from a pod's creation to its binding; of all those created
	Unbound   int                      // without a node in the end; their waits end with the watch
	Last      time.Duration            // from the first creation to the last binding
	Refused   int                      // were refused at least once
	Nominated int                      // were nominated for a node at least once
	Without   map[string]string        // those without a node, and what kube-scheduler said last
}

// AwaitAll returns when all pods that were created have a node, or, with those that have one, when
// patience is over. Nothing may happen to any pod for long only where patience is longer still.
func (p *Pods) AwaitAll(
	ctx context.Context, created Created, patience time.Duration,
) (Outcome, error) {
	enough, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	var seen Seen
	missing := created.names()
	err := p.Await(enough, func(now Seen) (bool, error) {
		for name := range missing {
			if _, bound := now.Bound[name]; !bound {
				return false, nil // the others are looked at when this one has a node
			}
			delete(missing, name)
		}
		return true, nil
	})
	if errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil {
		err = nil
	}
	p.look(func(now Seen) { seen = now.clone() })
	return created.outcome(seen, time.Now()), err
}

func (s Seen) clone() Seen {
	return Seen{Bound: maps.Clone(s.Bound), Refused: maps.Clone(s.Refused),
		Nominated: maps.Clone(s.Nominated), Deleted: maps.Clone(s.Deleted)}
}

func (c Created) names() map[string]struct{} {
	names := make(map[string]struct{}, len(c.At))
	for name := range c.At {
		names[name] = struct{}{}
	}
	return names
}

func (c Created) outcome(seen Seen, now time.Time) Outcome {
	o := Outcome{Waits: map[string]time.Duration{}, Without: map[string]string{}}
	for name, at := range c.At {
		bound, isBound := seen.Bound[name]
		if isBound {
			o.Last = max(o.Last, bound.Sub(c.First))
		} else {
			bound = now
			o.Unbound++
			o.Without[name] = seen.Refused[name]
		}
		o.Waits[name] = bound.Sub(at)
		if _, refused := seen.Refused[name]; refused {
			o.Refused++
		}
		if _, nominated := seen.Nominated[name]; nominated {
			o.Nominated++
		}
	}
	return o
}

// Seconds are the waits of all pods.
func (o Outcome) Seconds() []float64 { return o.SecondsOf(func(string) bool { return true }) }

// SecondsOf are the waits of the pods of which that is so, by "<namespace>/<name>".
func (o Outcome) SecondsOf(holds func(name string) bool) []float64 {
	var all []float64
	for name, waited := range o.Waits {
		if holds(name) {
			all = append(all, waited.Seconds())
		}
	}
	return all
}

// Count is how many pods have a node, and how many have one or were refused.
type Count struct{ Bound, Tried int }

// Count counts what was seen so far.
func (p *Pods) Count() Count {
	var c Count
	p.look(func(now Seen) {
		c.Bound, c.Tried = len(now.Bound), len(now.Bound)
		for name := range now.Refused {
			if _, bound := now.Bound[name]; !bound {
				c.Tried++
			}
		}
	})
	return c
}

// Deleted are the pods that are gone, with the node, if any, that they had.
func (p *Pods) Deleted() map[string]string {
	var gone map[string]string
	p.look(func(now Seen) { gone = maps.Clone(now.Deleted) })
	return gone
}

// Bound are the pods that have had a node, and since when.
func (p *Pods) Bound() map[string]time.Time {
	var bound map[string]time.Time
	p.look(func(now Seen) { bound = maps.Clone(now.Bound) })
	return bound
}

// Promised is how many pods without a node are nominated for one.
func (p *Pods) Promised() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.promised)
}
