//go:build long

package faults

import (
	"fmt"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

const (
	// How long a cluster without Berth is watched after the faults: longer than Berth takes for all.
	plainTime = 100 * time.Second
	// Within which Berth does what it does: a minute's wait, a look at the node every ten seconds, and
	// the Job's backoff.
	berthTime = 3 * time.Minute
	// Within which nodes take pods again after the repair: Berth waits for two minutes, and the Job
	// controller before the fifth try for 80 s.
	returnTime = 4 * time.Minute
)

// Each fault, from the first sign to the return of the node, with Berth and without. Both print a table
// in Markdown: seconds since the fault, and since the repair where the node is back.
func TestFaultsFromTheFirstSignToTheReturn(t *testing.T) {
	t.Run("with Berth", func(t *testing.T) {
		table := "| fault | condition | refused | alert | the Job goes on elsewhere | back |\n" +
			"|---|---|---|---|---|---|\n"
		for _, e := range start(t, true).live() {
			table += fmt.Sprintf("| %s | %s | %s | %s | %s | %s |\n", e.name, e.seconds(found),
				e.seconds(refused), e.seconds(alerted), e.seconds(elsewhere), e.seconds(back))
		}
		t.Log("\n" + table)
	})
	t.Run("without Berth", func(t *testing.T) {
		table := "| fault | condition | the next pod is on the node | the Job |\n|---|---|---|---|\n"
		for _, e := range start(t, false).live() {
			table += fmt.Sprintf("| %s | %s | %s | %s |\n", e.name, e.seconds(found), e.seconds(placed),
				e.fate())
		}
		t.Log("\n" + table)
	})
}

// live has all faults begin one after the other, waits for what comes of them, repairs the nodes, and
// waits for those.
func (c *cluster) live() []*course {
	c.Helper()
	all := c.courses()
	for _, e := range all {
		e.begin()
	}
	began := time.Now()
	c.watch(all, (*course).look, func() bool {
		if c.filter == nil {
			return time.Since(began) > plainTime
		}
		return time.Since(began) > berthTime || every(all, (*course).isSettled)
	})
	for _, e := range all {
		e.judge()
		e.mend()
	}
	repaired := time.Now()
	c.watch(all, (*course).lookForReturn, func() bool {
		return time.Since(repaired) > returnTime || every(all, (*course).isBack)
	})
	for _, e := range all {
		e.judgeReturn()
	}
	return all
}

// watch looks at all courses again and again until it is over.
func (c *cluster) watch(all []*course, look func(*course), isOver func() bool) {
	c.Helper()
	for ; !isOver(); time.Sleep(pollInterval) {
		for _, e := range all {
			look(e)
		}
	}
}

func every(all []*course, is func(*course) bool) bool {
	for _, e := range all {
		if !is(e) {
			return false
		}
	}
	return true
}

// judge complains about what has not come of the fault, or should not have.
func (e *course) judge() {
	e.Helper()
	if e.done != nil {
		if err := <-e.done; err != nil {
			e.complain("%v", err)
		}
	}
	if !e.has(found) {
		e.complain("no detector has found it: %v", e.history(e.node, e.condition))
	}
	if e.hasBeenDoubted() {
		e.complain("the condition was %v", e.history(e.node, e.condition))
	}
	if e.filter == nil {
		if !e.has(placed) {
			e.complain("kube-scheduler alone has not placed a pod on the node")
		}
		if e.has(elsewhere) {
			e.complain("the Job has moved without Berth")
		}
	} else {
		e.judgeBerth()
	}
	e.tell()
}

func (e *course) judgeBerth() {
	if !e.isSettled() {
		e.complain("only these stations are reached: %v", e.reached)
	}
	if e.has(placed) != e.penalised {
		e.complain("a pod for the node is placed: %v", e.has(placed))
	}
	if (e.lie || e.penalised) && e.has(elsewhere) {
		e.complain("the Job has moved")
	}
	if took := e.reached[elsewhere]; e.has(elsewhere) && e.effect != fails && took < evictAfter {
		e.complain("the pod was evicted after %s", took)
	}
	if gap := e.work.gap(e.job); gap != "" {
		e.complain("%s", gap)
	}
}

// hasBeenDoubted tells whether the condition was something else after it had become bad.
func (e *course) hasBeenDoubted() bool {
	known := e.history(e.node, e.condition)
	for i, s := range known {
		if s.status == corev1.ConditionTrue {
			return i != len(known)-1
		}
	}
	return false
}

// isBack tells whether all that comes after the repair has come.
func (e *course) isBack() bool {
	isThere := e.has(placed) || e.has(back)
	return isThere && (e.has(elsewhere) || e.has(resumed))
}

func (e *course) judgeReturn() {
	e.Helper()
	if !e.isBack() {
		e.complain("only these stations are reached: %v", e.reached)
	}
	e.tell()
}

// tell fails the test for what was wrong.
func (e *course) tell() {
	e.Helper()
	for _, wrong := range e.wrong {
		e.Errorf("%s (%s, %s): %s", e.name, e.node, e.job, wrong)
	}
	e.wrong = nil
}

// seconds are those to a station, for a table.
func (e *course) seconds(station string) string {
	if !e.has(station) {
		return "—"
	}
	return fmt.Sprintf("%.1f", e.reached[station].Seconds())
}

// fate is what has become of a Job that has stayed on its node.
func (e *course) fate() string {
	switch {
	case e.effect == hangs:
		return fmt.Sprintf("hangs until the repair, and goes on %s s later", e.seconds(resumed))
	case e.effect == fails:
		return fmt.Sprintf("fails there %d times, and goes on %s s after the repair", e.failures,
			e.seconds(resumed))
	default:
		return "goes on there"
	}
}

// create makes a pod.
func (c *cluster) create(pod *corev1.Pod) {
	c.Helper()
	_, err := c.box.Client.CoreV1().Pods(pod.Namespace).Create(c.Context(), pod,
		metav1.CreateOptions{})
	c.Check("create "+pod.Name, err)
}
