//go:build long

package faults

import (
	"context"
	"fmt"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"

	"berth.dev/berth/tests/e2e/detector"
)

const (
	// Berth takes a condition for no slip once it was bad for a minute.
	slipTime = 75 * time.Second
	// How long nodes are watched after the trouble: longer than what it takes to evict a pod.
	troubleTime = evictAfter + 30*time.Second
	// nvidia-smi takes its time, so that a detector that starts needs some until it has looked.
	slowly      = "sleep 2; echo 00000000:3B:00.0; echo 00000000:86:00.0"
	slowlyLost  = "sleep 2; exit 15" // a GPU has fallen off the bus
	slowTimeout = 20 * time.Second
)

// patient is a node whose detector has a trouble, and that is broken or well.
type patient struct {
	*cluster
	*detector.Detector
	name      string
	broken    bool
	job       string
	found     time.Time // since when the condition is bad
	moved     time.Time // since when the Job is elsewhere
	isTrouble func(*patient) error
	restarts  bool
}

// Whatever becomes of a detector: no pod leaves a node that is well, no such node is refused, and none
// that is broken is let in.
func TestNoTroubleOfADetectorMovesPodsOrLetsBrokenNodesIn(t *testing.T) {
	c := start(t, true)
	all := c.patients()
	for _, p := range all {
		if p.broken {
			p.Check("break "+p.Node, p.SetNvidiaSMI(slowlyLost))
		}
	}
	c.Await("all broken nodes to be refused", func() bool {
		isOver := true
		for _, p := range all {
			p.look()
			isOver = isOver && (!p.broken || !p.admits(ask("asks", mainModel, false), p.Node))
		}
		return isOver
	})
	broke := time.Now()
	c.examine(all, func() bool { return time.Since(broke) > slipTime })
	troubles := make(chan error, len(all))
	for _, p := range all {
		go func() { troubles <- p.isTrouble(p) }()
	}
	began := time.Now()
	c.examine(all, func() bool { return time.Since(began) > troubleTime })
	for range all {
		c.Check("make trouble", <-troubles)
	}
	for _, p := range all {
		p.judge()
	}
}

func (c *cluster) patients() []*patient {
	c.Helper()
	var all []*patient
	for _, broken := range []bool{false, true} {
		for _, trouble := range []struct {
			name     string
			ahead    time.Duration
			restarts bool
		}{
			{"whose detector restarts", 0, true},
			{"whose detector dies", 0, false},
			{"whose clock is 5 min ahead and whose detector restarts", 5 * time.Minute, true},
			{"whose clock is 5 min behind and whose detector restarts", -5 * time.Minute, true},
		} {
			p := &patient{cluster: c, broken: broken, restarts: trouble.restarts,
				job: fmt.Sprintf("job-%02d", len(all)+1), isTrouble: (*patient).restart}
			p.name = fmt.Sprintf("a node (broken: %v) %s", broken, trouble.name)
			if !trouble.restarts {
				p.isTrouble = (*patient).die
			}
			nodes := nodesOf(mainPool)[2*len(all):]
			// As stock node-problem-detector does, those that restart say first that all is well.
			p.Detector = c.detector(detector.Options{Node: nodes[0], Probes: []string{"gpu-lost"},
				Timeout: slowTimeout, SaysWellFirst: trouble.restarts, Server: c.clock(trouble.ahead)})
			c.Check("slow nvidia-smi down", p.SetNvidiaSMI(slowly))
			c.createJob(p.job, mainModel, false, nodes[0], nodes[1])
			all = append(all, p)
		}
	}
	for _, p := range all {
		c.Check("start the detector of "+p.Node, p.Start(c.Context()))
		c.runsOn(p.job, p.Node)
	}
	return all
}

// clock is the way to kube-apiserver for a detector whose clock is ahead.
func (c *cluster) clock(ahead time.Duration) string {
	c.Helper()
	if ahead == 0 {
		return ""
	}
	clock, err := detector.NewClock(c.box, ahead)
	c.Check("make a clock", err)
	c.Cleanup(clock.Close)
	return clock.URL
}

// examine looks at all nodes again and again until it is over.
func (c *cluster) examine(all []*patient, isOver func() bool) {
	c.Helper()
	for ; !isOver(); time.Sleep(pollInterval) {
		for _, p := range all {
			p.look()
			if p.admits(ask("asks", mainModel, false), p.Node) == p.broken {
				p.Fatalf("%s (%s) is admitted: %v; GPUIsLost was %v", p.name, p.Node, p.broken,
					p.history(p.Node, "GPUIsLost"))
			}
		}
	}
}

func (p *patient) look() {
	if p.found.IsZero() && p.is(p.Node, "GPUIsLost", corev1.ConditionTrue) {
		p.found = time.Now()
	}
	if p.moved.IsZero() && p.work.elsewhere(p.job, p.Node) {
		p.moved = time.Now()
	}
}

func (p *patient) restart() error {
	p.Kill()
	return p.Start(context.WithoutCancel(p.Context()))
}

func (p *patient) die() error { return die(p.cluster, p.Detector) }

func (p *patient) judge() {
	p.Helper()
	known := p.history(p.Node, "GPUIsLost")
	if !p.broken {
		if !p.moved.IsZero() || !p.found.IsZero() {
			p.Errorf("%s: the Job is elsewhere since %v; GPUIsLost was %v", p.name, p.moved, known)
		}
		return
	}
	if took := p.moved.Sub(p.found); p.moved.IsZero() || took < evictAfter {
		p.Errorf("%s: the Job is elsewhere %v after the fault was found", p.name, took)
	}
	if len(known) > 1 && p.restarts != (known[len(known)-2].status == corev1.ConditionFalse &&
		len(known) > 2) {
		p.Errorf("%s: GPUIsLost was %v; the trouble was none", p.name, known)
	}
	p.Logf("%s: GPUIsLost was %v", p.name, known)
}
