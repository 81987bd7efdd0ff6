package rivals

import (
	"strings"
	"testing"
	"time"

	"berth.dev/berth/tests/bench/figures"
)

func TestChoices(t *testing.T) {
	good, err := parse([]string{"-ways", "alone,kueue", "-scenes", "contest"})
	if err != nil || len(good.contenders) != 2 || len(good.scenes) != 1 {
		t.Errorf("%+v (%v)", good, err)
	}
	for _, c := range []struct{ flag, value, advice string }{
		{"-nodes", "49", "-nodes and -contest-nodes must be 50 or more"},
		{"-pods", "1", "-pods must be 2 to 4096"},
		{"-pods", "4000", "three quarters of the nodes with V100"},
		{"-gangs", "2", "-gangs 3 or more"},
		{"-patience", "10s", "-patience more than that"},
		{"-scenes", "two", "write some of contest, one"},
		{"-ways", "best", "write some of alone,berth,coscheduling,kueue,kueue-topology"},
	} {
		if _, err := parse([]string{c.flag, c.value}); err == nil || !strings.Contains(err.Error(), c.advice) {
			t.Errorf("%s %s: error %v does not say %q", c.flag, c.value, err, c.advice)
		}
	}
}

// Else quota would see what is to be seen on nodes alone.
func TestTwoGangsFitAndThreeWouldByTheNumberOfDevices(t *testing.T) {
	for _, nodes := range []int{60, 280, 1000} {
		o := options{contestNodes: nodes, gangs: 6, devices: 8}
		free, pods := 0, contestPods(o)
		for i := range poolOf(nodes).Nodes {
			if !isCordoned(i) && !isStarted(i) {
				free++
			}
		}
		b := &bench{options: o, scene: contest}
		if quota := int(b.quota() / o.devices); 2*pods > free || 3*pods <= free || 3*pods > quota {
			t.Errorf("%d nodes: gangs of %d pods, %d nodes are free, quota for %d pods", nodes, pods, free,
				quota)
		}
	}
}

func TestMembersAreOfTheirGang(t *testing.T) {
	for _, c := range contenders {
		g := gangOf("train", 3, 8)
		if pod := g.pods[2]; c.join != nil {
			c.join(pod, g)
			isGated := len(pod.Spec.SchedulingGates) > 0
			isNamed := strings.Contains(strings.Join([]string{pod.Annotations["berth.dev/gang-name"],
				pod.Labels["kueue.x-k8s.io/pod-group-name"], pod.Labels[podGroupLabel]}, " "), "train")
			if !isNamed || isGated == (c.name == "coscheduling") {
				t.Errorf("%s: %+v, %+v", c.name, pod.ObjectMeta, pod.Spec.SchedulingGates)
			}
		}
	}
}

func TestHeldIsWhatPodsHaveBeforeTheirGangIsWhole(t *testing.T) {
	begin := time.Now()
	at := func(seconds int) time.Time { return begin.Add(time.Duration(seconds) * time.Second) }
	gangs := []gang{gangOf("whole", 2, 8), gangOf("part", 2, 8), gangOf("waits", 2, 8)}
	bound := map[string]time.Time{
		"default/whole-0000": at(1), "default/whole-0001": at(3), "default/part-0001": at(5)}
	if got := heldSeconds(gangs, bound, at(10)); got != 8*2+8*5 {
		t.Errorf("%v GPU-seconds", got)
	}
}

func TestReportIsShown(t *testing.T) {
	r := report{Machine: figures.Machine{CPUs: 2}, Rivals: map[string]string{kueueProgram: "kueue v1"},
		Scenes: []sceneReport{
			{Scene: "one", Title: "one gang", Nodes: 7498, Gangs: 1, Pods: 512, Ways: []wayReport{
				{Way: "alone", Title: "alone", Runs: []outcome{{Seconds: 2}, {Seconds: 4}}},
				{Way: "berth", Title: "Berth", Runs: []outcome{
					{Seconds: 3, PodsPerSecond: 10, Created: 1, Held: 7, Ran: 1}, {Seconds: 6, PodsPerSecond: 20, Created: 1, Held: 9}}}}},
			{Scene: "contest", Title: "several", Nodes: 280, Gangs: 6, Pods: 40, Ways: []wayReport{
				{Way: "kueue", Title: "Kueue", Runs: []outcome{{Seconds: 60, Ran: 6, Held: 1000, Reserved: 3}}}}}}}
	if err := figures.CheckTables(r.print, "2 CPUs", "kueue v1", "one gang: 7498 nodes, 1 gangs of 512 pods",
		"| Berth | 2 | 1 | **4.50** | 3.75 to 5.25 | 3.00 to 6.00 | 15 | 1.00 | 8 | 1.50 |\n",
		"| Kueue | 1 | 6 | **60.0** | 60.0 to 60.0 | 60.0 to 60.0 | **1000** | 1000 to 1000 | 1000 to 1000 | 3 |\n",
	); err != nil {
		t.Error(err)
	}
	if err := figures.CheckReadBack(r); err != nil {
		t.Error(err)
	}
}
