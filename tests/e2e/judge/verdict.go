package judge

import (
	"sort"
	"strings"
	"time"
)

// InFlightGrace is how long after a fault began kube-scheduler alone may still bind a pod to the node:
// it does not say which nodes it decided by. Berth does, and has no grace.
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
	InFlight                // one was by the time of the binding, but not when it was decided on
	Broken                  // one was when it was decided on
	Unclear                 // the judge's watch had a gap just there, or the decision was not heard
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
	decides bool // somebody says at which revision
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
		verdict, after := c.judgeOne(h, rule, b)
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

func (c court) judgeOne(h *history, rule Rule, b binding) (Verdict, time.Duration) {
	var last change
	for _, next := range h.changes[conditionOf{b.node, rule.Condition}] {
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
	return c.blame(h, b, last), b.arrived.Sub(last.arrived)
}

// blame judges a binding to a node that was broken by then.
func (c court) blame(h *history, b binding, fault change) Verdict {
	if !c.decides {
		if b.arrived.Sub(fault.arrived) < InFlightGrace {
			return InFlight
		}
		return Broken
	}
	revision, heard := h.decided[b.uid]
	switch decided := at(revision); {
	case !heard || revision == 0:
		return Unclear
	case decided.before(fault.when):
		return InFlight
	case fault.when.last <= revision:
		return Broken
	}
	return Unclear
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
