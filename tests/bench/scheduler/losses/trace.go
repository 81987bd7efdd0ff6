package losses

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"time"

	"berth.dev/berth/tests/e2e/churn"
)

// fault is what a node has for a time, from the start of the turn on. Repair is a reboot.
type fault struct {
	node         string
	condition    string
	begins, ends time.Duration
	hangs        bool // a pod hangs until the repair. Otherwise it fails, and so does every further one
}

// trace are the faults of a turn, in the order in which they begin. No node has two at a time.
func trace(o options, nodes []string, seed uint64) []fault {
	random := rand.New(rand.NewPCG(seed, 12))
	var all []fault
	until := map[string]time.Duration{} // repaired
	at := time.Duration(0)
	for {
		at += time.Duration(random.ExpFloat64() * float64(o.every))
		if at >= o.length {
			return all
		}
		f := fault{node: nodes[random.IntN(len(nodes))], begins: at, hangs: random.IntN(2) == 0,
			condition: churn.Excluding[random.IntN(len(churn.Excluding))],
			ends:      at + o.least + time.Duration(random.Float64()*float64(o.most-o.least))}
		if at < until[f.node] {
			continue
		}
		until[f.node] = f.ends
		all = append(all, f)
	}
}

// change is a condition that a detector writes.
type change struct {
	at     time.Duration
	fault  fault
	broken bool
}

// changes are what the detectors write of the faults, in order: each fault some time after it began,
// and its end at once.
func changes(faults []fault, detection time.Duration) []change {
	var all []change
	for _, f := range faults {
		all = append(all, change{f.begins + detection, f, true}, change{f.ends, f, false})
	}
	slices.SortStableFunc(all, func(a, b change) int { return cmp.Compare(a.at, b.at) })
	return all
}
