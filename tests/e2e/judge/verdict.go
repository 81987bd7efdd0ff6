package judge

import (
	"sort"
	"strings"
	"time"
)

// InFlightGrace is how long after a fault began a pod may still be bound to the node: the decision
// was taken before, or while the fault was on its way to the scheduler.
const InFlightGrace = time.Second

// Rule says which condition makes a node unfit, and for whom.
type Rule struct {
	Condition string
	// Resources narrows the rule to pods that request one of these; "rdma/*" stands for all that
	// begin with "rdma/". Default: every pod that requests a managed resource.
	Resources []string
}

// ExcludingRules are those of Berth's default configuration.
func ExcludingRules() []Rule {
	return []Rule{
		{Condition: "GPUIsLost"}, {Condition: "GPURuntimeError"}, {Condition: "GPUPendingPage"},
		{Condition: "DStateProcess"}, {Condition: "NICLinkDown", Resources: []string{"rdma/*"}},
	}
}

// Verdict is what the judge says of a pod's placement.
type Verdict int

const (
	Sound    Verdict = iota // no excluding condition was True
	InFlight                // one was, for less than InFlightGrace
	Broken                  // one was
	Unclear                 // the judge's watch had a gap just there
)

func (v Verdict) String() string {
	return [...]string{"sound", "in flight", "broken", "unclear"}[v]
}

// Placement is a pod that got a node.
type Placement struct {
	Namespace, Pod, Node string
	Verdict              Verdict
	Condition            string        // that makes the verdict other than Sound
	After                time.Duration // from the condition's beginning to the binding, as they arrived
	Bound                time.Time     // when the binding arrived
}

// Report is the judge's word on every pod that requests a managed resource and got a node.
type Report []Placement

// With lists the placements of a verdict.
func (r Report) With(verdict Verdict) []Placement {
	var found []Placement
	for _, placement := range r {
		if placement.Verdict == verdict {
			found = append(found, placement)
		}
	}
	return found
}

// court is the law by which a history is judged.
type court struct {
	rules   []Rule
	managed []string
}

func (c court) judge(h *history) Report {
	var report Report
	for _, b := range h.bindings {
		if matchesAny(c.managed, b.resources) {
			report = append(report, c.place(h, b))
		}
	}
	sort.Slice(report, func(i, j int) bool { return report[i].Pod < report[j].Pod })
	return report
}

// place gives the worst verdict of all rules.
func (c court) place(h *history, b binding) Placement {
	worst := Placement{
		Namespace: b.pod.Namespace, Pod: b.pod.Name, Node: b.node, Bound: b.arrived}
	for _, rule := range c.rules {
		if len(rule.Resources) > 0 && !matchesAny(rule.Resources, b.resources) {
			continue
		}
		verdict, after := judgeOne(h.changes[conditionOf{b.node, rule.Condition}], b)
		if severity(verdict) > severity(worst.Verdict) {
			worst.Verdict, worst.Condition, worst.After = verdict, rule.Condition, after
		}
	}
	return worst
}

// severity orders verdicts: what is known to be broken outweighs what is unclear.
func severity(v Verdict) int {
	return map[Verdict]int{Sound: 0, InFlight: 1, Unclear: 2, Broken: 3}[v]
}

func judgeOne(changes []change, b binding) (Verdict, time.Duration) {
	var last change
	for _, next := range changes {
		if b.when.before(next.when) {
			break
		}
		if !next.when.before(b.when) {
			return Unclear, 0
		}
		last = next
	}
	if !last.broken {
		return Sound, 0
	}
	after := b.arrived.Sub(last.arrived)
	if after < InFlightGrace {
		return InFlight, after
	}
	return Broken, after
}

// matchesAny tells whether one of the names matches one of the patterns.
func matchesAny(patterns, names []string) bool {
	for _, pattern := range patterns {
		prefix, wild := strings.CutSuffix(pattern, "*")
		for _, name := range names {
			if name == pattern || (wild && strings.HasPrefix(name, prefix)) {
				return true
			}
		}
	}
	return false
}
