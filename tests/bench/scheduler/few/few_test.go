package few

import (
	"strings"
	"testing"
	"time"

	"berth.dev/berth/tests/bench/figures"
	"berth.dev/berth/tests/bench/placing"
)

func TestChoices(t *testing.T) {
	good, err := parse([]string{"-ways", "berth", "-others", "0, 12.5"})
	if err != nil || len(good.others) != 2 || good.others[1] != 12.5 || len(good.ways) != 1 {
		t.Errorf("%+v (%v)", good, err)
	}
	for _, c := range []struct{ flag, value, advice string }{
		{"-nodes", "499", "-nodes must be 500 or more"},
		{"-fitting", "0", "-fitting 1 to half of the nodes"},
		{"-pods", "121", "-pods must be 1 to 120"},
		{"-rate", "0", "-rate must be above 0"},
		{"-others", "many", "write numbers such as 45,115"},
		{"-ways", "best", "is no way"},
		{"-ways", "berth,alone", "alone heeds no annotation"},
	} {
		if _, err := parse([]string{c.flag, c.value}); err == nil || !strings.Contains(err.Error(), c.advice) {
			t.Errorf("%s %s: error %v does not say %q", c.flag, c.value, err, c.advice)
		}
	}
}

// What is held and what is free are one behind the other.
func TestFillersLeaveOneStretchOfNodes(t *testing.T) {
	b := &bench{options: options{nodes: 1500, fitting: 8}}
	nodes := poolOf(1500)
	firsts := map[int]bool{}
	for seed := range uint64(5) {
		held := map[string]bool{}
		for _, pod := range b.fillers(seed) {
			held[pod.Spec.NodeName] = true
		}
		first, last := -1, -1
		for index := range nodes.Nodes {
			if held[nodes.NodeName(index)] {
				continue
			}
			if last = index; first < 0 {
				first = index
			}
		}
		if len(held) != nodes.Nodes-8 || last-first != 7 {
			t.Errorf("%d of %d nodes are held, the others are from %d to %d", len(held), nodes.Nodes, first,
				last)
		}
		firsts[first] = true
	}
	if len(firsts) < 2 {
		t.Error("every seed leaves the same nodes")
	}
}

func TestPodsThatFewNodesFitComeAmongTheOthers(t *testing.T) {
	b := &bench{options: options{pods: 4, rate: 2}}
	var text strings.Builder
	for _, pod := range b.stream(6, 1) {
		text.WriteString(pod.Name[:1])
		if pod.Spec.PriorityClassName != dear {
			t.Errorf("%s has priority %q", pod.Name, pod.Spec.PriorityClassName)
		}
		if pod.Spec.Affinity != nil {
			t.Errorf("%s is refused by kube-scheduler itself: %+v", pod.Name, pod.Spec.Affinity)
		}
	}
	if text.String() != "ooofooofooofooof" {
		t.Errorf("stream %s", &text)
	}
}

func TestOnlyPodsOfLowerPriorityThatAreGoneWereEvicted(t *testing.T) {
	second := time.Second
	o := newOutcome(placing.Outcome{Unbound: 1, Waits: map[string]time.Duration{
		"default/few-0000": second, "default/few-0001": 3 * second, "default/other-00001": 5 * second}},
		map[string]string{"default/filler-a": "n1", "default/first-00000": "n2"})
	if o.WaitP50 != 2 || o.WaitMax != 3 || o.OthersP99 != 5 || o.Evicted != 1 || o.Unbound != 1 {
		t.Errorf("%+v", o)
	}
}

func TestReportIsShown(t *testing.T) {
	r := report{Machine: figures.Machine{CPUs: 2}, Nodes: 7498, Fitting: 20, Pods: 100, Rate: 5,
		Parts: []part{{Way: "berth", Others: 45, Runs: []outcome{
			{WaitP50: 1, WaitP99: 2, WaitMax: 3, OthersP99: 4, Evicted: 1, Unbound: 2},
			{WaitP50: 3, WaitP99: 4, WaitMax: 5, OthersP99: 6, Evicted: 1, Refused: 7, Nominated: 9}}},
			{Way: "berth", Others: 115}}}
	if err := figures.CheckTables(r.print, "100 pods, 5/s, that 20 of 7498 nodes fit; 2 CPUs",
		"| berth | 45 | 2.000 | **3.000** | 2.500 to 3.500 | 2.000 to 4.000 | 4.000 | 5.000 | 2 | 2 | 7 | 9 |\n",
	); err != nil {
		t.Error(err)
	}
	if err := figures.CheckReadBack(r); err != nil {
		t.Error(err)
	}
}
