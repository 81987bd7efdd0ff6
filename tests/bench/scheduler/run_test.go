package main

import (
	"strings"
	"testing"
	"time"

	"berth.dev/berth/tests/bench/placing"
)

func TestOutcomeIsOfTheTimeFromTheFirstCreationToTheLastBinding(t *testing.T) {
	begin := time.Now()
	created := placing.Created{First: begin, Last: begin.Add(3 * time.Second),
		At: map[string]time.Time{"a": begin, "b": begin, "c": begin, "d": begin.Add(3 * time.Second)}}
	became := placing.Outcome{Last: 8 * time.Second, Refused: 2, Nominated: 1,
		Waits: map[string]time.Duration{"a": time.Second, "b": 2 * time.Second, "c": 2 * time.Second,
			"d": 5 * time.Second}}
	o := newOutcome(created, became, placing.CPU{Scheduler: 0.4, Extender: 0.2, Controller: 0.1})
	if o.PodsPerSecond != 0.5 || o.LastBinding != 8 || o.WaitP50 != 2 || o.WaitP99 <= 4.8 ||
		o.WaitP99 > 5 || o.CreatedPerSecond != 1 || o.Refused != 2 || o.Nominated != 1 {
		t.Errorf("%+v", o)
	}
	if o.SchedulerCPU != 100 || o.BerthCPU != 50 || o.ControllerCPU != 25 || o.APIServerCPU != 0 {
		t.Errorf("CPU of %+v", o)
	}
}

func TestRunsFailWhereAPodHasNoNode(t *testing.T) {
	became := placing.Outcome{Waits: map[string]time.Duration{"a": 1, "b": 1},
		Without: map[string]string{}}
	if err := unplaced(became); err != nil {
		t.Errorf("all have one: %v", err)
	}
	became.Unbound, became.Without["b"] = 1, "0/3 nodes are available"
	const want = `1 of 2 pods have no node (b: "0/3 nodes are available"); ask for fewer -pods`
	if err := unplaced(became); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("error %v", err)
	}
}
