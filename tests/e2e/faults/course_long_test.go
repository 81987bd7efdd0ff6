//go:build long

package faults

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	extender "k8s.io/kube-scheduler/extender/v1"

	"berth.dev/berth/tests/e2e/detector"
)

// The stations of a fault. Times are since the fault began, but those of the last two since the
// repair.
const (
	found     = "found"     // the condition is bad
	refused   = "refused"   // Berth's filter refuses the node, or counts it as penalised
	alerted   = "alerted"   // Alertmanager has notified
	elsewhere = "elsewhere" // the Job has done a step on another node
	placed    = "placed"    // a pod that was created when the condition was bad is on the node
	back      = "back"      // that pod, which has waited till then, is on the node
	resumed   = "resumed"   // a Job that has stayed on the node does steps again
)

// course is what becomes of a fault.
type course struct {
	*cluster
	fault
	model, job, node, spare string
	// Of the node, and of all others that lie.
	detectors []*detector.Detector

	began, repaired time.Time
	reached         map[string]time.Duration
	waiting         *corev1.Pod // for this node alone
	stepsAtRepair   int
	failures        int        // of pods on the node
	done            chan error // of fault.found
	wrong           []string   // what should not have been
}

// courses makes one for each fault, with detectors that run, and Jobs that run on nodes that are well.
func (c *cluster) courses() []*course {
	c.Helper()
	var all []*course
	main, liedOf := nodesOf(mainPool), nodesOf(liedOfPool)
	for i, f := range faultsOf() {
		each := &course{cluster: c, fault: f, model: mainModel, job: fmt.Sprintf("job-%02d", i+1),
			node: main[2*i], spare: main[2*i+1], reached: map[string]time.Duration{}}
		broken := []string{each.node}
		if f.lie {
			each.model, broken, each.spare = liedOfModel, liedOf[:liedOfBroken], liedOf[liedOfNodes-1]
			each.node = broken[0]
		}
		c.setRDMA(f, each.node, each.spare)
		for _, node := range broken {
			each.detectors = append(each.detectors, c.detector(detector.Options{Node: node,
				Probes: []string{f.probe}}))
		}
		all = append(all, each)
	}
	for _, each := range all {
		c.createJob(each.job, each.model, each.withRDMA, each.node, each.spare)
		for _, d := range each.detectors {
			c.Check("start the detector of "+d.Node, d.Start(c.Context()))
		}
	}
	for _, each := range all {
		c.runsOn(each.job, each.node)
	}
	return all
}

// begin breaks the node.
func (e *course) begin() {
	e.Helper()
	e.began = time.Now()
	for _, d := range e.detectors {
		e.Check(e.name, e.set(d, false))
	}
	e.Check("tell programs", e.work.set(e.node, e.effect))
}

// mend repairs the node.
func (e *course) mend() {
	e.Helper()
	e.failures = e.failedThere()
	e.repaired = time.Now()
	e.Check("tell programs", e.work.set(e.node, none))
	e.stepsAtRepair = len(e.work.steps(e.job))
	for _, d := range e.detectors {
		e.Check("repair: "+e.name, e.set(d, true))
	}
	if e.byHand {
		e.Check("set the condition well", e.setWell(e.node, e.condition))
	}
}

// failedThere counts the pods of the Job that have failed on the node by themselves.
func (e *course) failedThere() int {
	e.Helper()
	count := 0
	for _, pod := range e.podsOf(e.job) {
		isDisrupted := slices.ContainsFunc(pod.Status.Conditions, func(c corev1.PodCondition) bool {
			return c.Type == corev1.DisruptionTarget
		})
		if pod.Spec.NodeName == e.node && pod.Status.Phase == corev1.PodFailed && !isDisrupted {
			count++
		}
	}
	return count
}

// reach notes a station at its first time.
func (e *course) reach(station string, since time.Time, at time.Time) {
	if _, known := e.reached[station]; !known {
		e.reached[station] = at.Sub(since)
	}
}

func (e *course) has(station string) bool {
	_, known := e.reached[station]
	return known
}

// look notes what is new since the fault.
func (e *course) look() {
	e.Helper()
	if !e.has(found) {
		e.lookForCondition()
	}
	if e.waiting != nil {
		if node, at := e.bound(e.waiting); node != "" {
			e.reach(placed, e.began, at)
		}
	}
	if e.work.elsewhere(e.job, e.node) {
		e.reach(elsewhere, e.began, time.Now())
	}
	if e.filter == nil {
		return
	}
	if e.refuses() {
		e.reach(refused, e.began, time.Now())
	} else if e.has(refused) {
		e.complain("the node is let in again after %.1f s", time.Since(e.began).Seconds())
	}
	if e.isTold() {
		e.reach(alerted, e.began, time.Now())
	}
}

// lookForCondition has a pod ask for the node once its condition is bad.
func (e *course) lookForCondition() {
	e.Helper()
	for _, d := range e.detectors {
		if !e.is(d.Node, e.condition, corev1.ConditionTrue) {
			return
		}
	}
	known := e.history(e.node, e.condition)
	e.reach(found, e.began, known[len(known)-1].at)
	e.waiting = pinned("waits-for-"+e.node, e.model, e.withRDMA, e.node)
	e.create(e.waiting)
	if e.fault.found != nil {
		e.done = make(chan error, 1)
		go func() { e.done <- e.fault.found(e.cluster, e.detectors[0]) }()
	}
}

// lookForReturn notes what is new since the repair.
func (e *course) lookForReturn() {
	e.Helper()
	if e.waiting != nil && !e.has(placed) {
		if node, at := e.bound(e.waiting); node != "" {
			e.reach(back, e.repaired, at)
		}
	}
	steps := e.work.steps(e.job)
	if len(steps) > e.stepsAtRepair && !e.has(elsewhere) {
		e.reach(resumed, e.repaired, time.Now())
	}
}

// refuses tells whether Berth's filter refuses the node, as kube-scheduler would ask it. Of what is
// penalised Berth's metric tells.
func (e *course) refuses() bool {
	e.Helper()
	if e.penalised {
		samples, err := e.box.Berth.Metrics(e.Context())
		return err == nil && samples.Sum("berth_nodes_by_condition",
			fmt.Sprintf("condition=%q", e.condition), `effect="Penalize"`) == 1
	}
	return !e.admits(ask("asks", e.model, e.withRDMA), e.node)
}

// admits asks Berth's filter whether the node fits.
func (c *cluster) admits(pod *corev1.Pod, node string) bool {
	c.Helper()
	body, err := json.Marshal(extender.ExtenderArgs{Pod: pod, NodeNames: &[]string{node}})
	c.Check("encode the request", err)
	response, err := c.filter.Post(c.box.Berth.URL+"/filter", "application/json",
		bytes.NewReader(body))
	c.Check("filter", err)
	defer response.Body.Close()
	var result extender.ExtenderFilterResult
	c.Check("decode the reply", json.NewDecoder(response.Body).Decode(&result))
	if result.Error != "" {
		c.Fatalf("filter of %s: %s", node, result.Error)
	}
	return result.NodeNames != nil && slices.Contains(*result.NodeNames, node)
}

// isTold tells whether operators have been told: of the node, or of the lie.
func (e *course) isTold() bool {
	want := map[string]string{"alertname": nodeAlert, "node": e.node, "condition": e.condition}
	if e.lie {
		want = map[string]string{"alertname": breakerAlert, "accelerator": e.model,
			"condition": e.condition}
	}
	for _, notification := range e.receiver.Received() {
		for _, alert := range notification.Alerts {
			if notification.Status == "firing" && has(alert.Labels, want) {
				return true
			}
		}
	}
	return false
}

func has(labels, want map[string]string) bool {
	for name, value := range want {
		if labels[name] != value {
			return false
		}
	}
	return true
}

func (e *course) complain(format string, arguments ...any) {
	if complaint := fmt.Sprintf(format, arguments...); len(e.wrong) == 0 {
		e.wrong = append(e.wrong, complaint)
	}
}

// isSettled tells whether a cluster with Berth has done all that it does before the repair.
func (e *course) isSettled() bool {
	isTold := e.has(refused) && (e.penalised || e.has(alerted))
	return e.has(found) && isTold && (e.lie || e.penalised || e.has(elsewhere)) &&
		time.Since(e.began) > e.leastTime()
}

// leastTime is how long a lie is told, in which pods would be evicted if it were believed, and a node
// that is penalised is watched for the same.
func (e *course) leastTime() time.Duration {
	if e.lie || e.penalised {
		return evictAfter + 30*time.Second
	}
	return 0
}
