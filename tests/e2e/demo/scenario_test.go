package main

import (
	"reflect"
	"testing"
	"time"
)

func TestScenarioIsDecidedByItsSeed(t *testing.T) {
	if one, same := newScenario(3, 40), newScenario(3, 40); !reflect.DeepEqual(one, same) {
		t.Error("the same seed made another scenario")
	}
	one, other := newScenario(3, 40), newScenario(4, 40)
	if reflect.DeepEqual(one.faults, other.faults) {
		t.Error("another seed made the same faults")
	}
}

func TestBothWaysOfBreakingANodeAreUsed(t *testing.T) {
	s := newScenario(1, 40)
	byStage := 0
	for _, f := range s.faults {
		if f.byStage {
			byStage++
		}
	}
	if share := float64(byStage) / float64(len(s.faults)); share < 0.3 || share > 0.7 {
		t.Errorf("%d of %d faults by KWOK stage, want about half", byStage, len(s.faults))
	}
}

// The pod that waits is told apart by it: no node may be left for it until the late repairs.
func TestWholeBatchOf80GiBNodesBreaksUntilTheEnd(t *testing.T) {
	if n := len(newScenario(1, 40).lateRepairs()); n != 14 {
		t.Errorf("%d late repairs, want all 14 nodes with 80 GB", n)
	}
}

func TestStepsAreInOrderAndComplete(t *testing.T) {
	s := newScenario(1, 40)
	pods, begun, ended := 0, map[string]bool{}, map[string]bool{}
	last := time.Duration(0)
	for _, step := range s.steps() {
		if step.at < last {
			t.Fatalf("step at %v comes after %v", step.at, last)
		}
		last = step.at
		switch {
		case step.pod != nil:
			pods++
		case step.repair:
			if !begun[step.fault.node] {
				t.Errorf("%s is repaired before it breaks", step.fault.node)
			}
			ended[step.fault.node] = true
		default:
			begun[step.fault.node] = true
		}
	}
	if pods != 40 || len(begun) != len(s.faults) || len(ended) != len(s.faults)-14 {
		t.Errorf("%d pods, %d faults, %d repairs; scenario has 40, %d, all but 14",
			pods, len(begun), len(ended), len(s.faults))
	}
}
