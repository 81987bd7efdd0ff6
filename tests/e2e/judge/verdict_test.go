package judge

import (
	"strconv"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

var start = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

// event is one line of a story: at a revision and so many seconds after the start, either a
// condition changes on node n or pod p is bound to it.
type event struct {
	since     int64 // revision up to which the judge had seen all; 0: the watch saw the event itself
	revision  int64
	seconds   float64
	condition string // changes to True, or with "-" before it to False
	binds     bool
	deleted   bool
	decides   int64 // Berth has decided by nodes as of this revision
}

func (e event) window() window {
	if e.since > 0 {
		return within(e.since, e.revision)
	}
	return at(e.revision)
}

func nodeWith(condition string) *corev1.Node {
	status := corev1.ConditionTrue
	if condition[0] == '-' {
		condition, status = condition[1:], corev1.ConditionFalse
	}
	node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "n"}}
	node.Status.Conditions = []corev1.NodeCondition{
		{Type: corev1.NodeConditionType(condition), Status: status},
	}
	return node
}

func boundPod(name string, resources ...string) *corev1.Pod {
	requests := corev1.ResourceList{}
	for _, name := range resources {
		requests[corev1.ResourceName(name)] = resource.MustParse("1")
	}
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "default", UID: types.UID(name)},
		Spec: corev1.PodSpec{NodeName: "n", Containers: []corev1.Container{
			{Resources: corev1.ResourceRequirements{Requests: requests}},
		}},
	}
}

func tell(story []event, resources []string) *history {
	h := newHistory()
	for _, e := range story {
		arrived := start.Add(time.Duration(e.seconds * float64(time.Second)))
		switch {
		case e.decides != 0:
			h.sawDecision(decision{"p", e.decides})
		case e.binds:
			h.sawPod(boundPod("p", resources...), e.window(), arrived)
		case e.deleted:
			h.lostNode("n", e.window(), arrived)
		default:
			h.sawNode(nodeWith(e.condition), e.window(), arrived)
		}
	}
	return h
}

func TestVerdicts(t *testing.T) {
	gpu := []string{"nvidia.com/gpu"}
	cases := []struct {
		name      string
		story     []event
		resources []string
		want      Verdict
	}{
		{"healthy node", []event{
			{revision: 1, condition: "-GPUIsLost"}, {revision: 9, seconds: 9, binds: true},
		}, gpu, Sound},
		{"bound long after the fault", []event{
			{revision: 5, condition: "GPUIsLost"}, {revision: 9, seconds: 3, binds: true},
		}, gpu, Broken},
		{"bound just after the fault", []event{
			{revision: 5, condition: "GPUIsLost"}, {revision: 9, seconds: 0.9, binds: true},
		}, gpu, InFlight},
		{"the grace ends sharply", []event{
			{revision: 5, condition: "GPUIsLost"}, {revision: 9, seconds: 1, binds: true},
		}, gpu, Broken},
		{"bound before the fault, though seen after it", []event{
			{revision: 9, condition: "GPUIsLost"}, {revision: 5, seconds: 3, binds: true},
		}, gpu, Sound},
		{"bound after recovery", []event{
			{revision: 5, condition: "GPUIsLost"}, {revision: 7, seconds: 2, condition: "-GPUIsLost"},
			{revision: 9, seconds: 3, binds: true},
		}, gpu, Sound},
		{"bound between fault and recovery, seen after both", []event{
			{revision: 5, condition: "GPUIsLost"}, {revision: 9, seconds: 2, condition: "-GPUIsLost"},
			{revision: 7, seconds: 3, binds: true},
		}, gpu, Broken},
		{"a heartbeat does not begin the grace anew", []event{
			{revision: 5, condition: "GPUIsLost"}, {revision: 6, seconds: 5, condition: "GPUIsLost"},
			{revision: 9, seconds: 5.1, binds: true},
		}, gpu, Broken},
		{"the second fault begins the grace anew", []event{
			{revision: 5, condition: "GPUIsLost"}, {revision: 6, seconds: 5, condition: "-GPUIsLost"},
			{revision: 7, seconds: 6, condition: "GPUIsLost"}, {revision: 9, seconds: 6.1, binds: true},
		}, gpu, InFlight},
		{"a condition that excludes nobody", []event{
			{revision: 5, condition: "PCIeLinkDegraded"}, {revision: 9, seconds: 3, binds: true},
		}, gpu, Sound},
		{"NIC down, pod without RDMA", []event{
			{revision: 5, condition: "NICLinkDown"}, {revision: 9, seconds: 3, binds: true},
		}, gpu, Sound},
		{"NIC down, pod with RDMA", []event{
			{revision: 5, condition: "NICLinkDown"}, {revision: 9, seconds: 3, binds: true},
		}, []string{"nvidia.com/gpu", "rdma/hca"}, Broken},
		{"a node of the same name after the broken one", []event{
			{revision: 5, condition: "GPUIsLost"}, {revision: 6, seconds: 1, deleted: true},
			{revision: 9, seconds: 3, binds: true},
		}, gpu, Sound},
		{"fault and binding in the same gap", []event{
			{since: 4, revision: 8, condition: "GPUIsLost"},
			{since: 4, revision: 9, seconds: 3, binds: true},
		}, gpu, Unclear},
		{"fault before the gap in which the pod was bound", []event{
			{revision: 3, condition: "GPUIsLost"}, {since: 4, revision: 9, seconds: 3, binds: true},
		}, gpu, Broken},
		{"fault after the gap in which the pod was bound", []event{
			{since: 4, revision: 9, seconds: 3, binds: true},
			{revision: 10, seconds: 4, condition: "GPUIsLost"},
		}, gpu, Sound},
	}
	law := court{ExcludingRules(), []string{"nvidia.com/gpu"}, false}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			report := law.judge(tell(c.story, c.resources))
			if len(report) != 1 || report[0].Verdict != c.want {
				t.Errorf("report %+v, want one placement %v", report, c.want)
			}
		})
	}
}

// With Berth the revision that it decided by tells, and no time.
func TestVerdictsOnDecisions(t *testing.T) {
	cases := []struct {
		name  string
		story []event
		want  Verdict
	}{
		{"healthy node", []event{
			{revision: 1, condition: "-GPUIsLost"}, {decides: 5}, {revision: 9, binds: true},
		}, Sound},
		{"decided before the fault, bound long after it", []event{
			{revision: 5, condition: "GPUIsLost"}, {decides: 4}, {revision: 9, seconds: 60, binds: true},
		}, InFlight},
		{"decided at the fault, bound at once", []event{
			{revision: 5, condition: "GPUIsLost"}, {decides: 5}, {revision: 6, binds: true},
		}, Broken},
		{"decided after the fault, bound at once", []event{
			{revision: 5, condition: "GPUIsLost"}, {decides: 8}, {revision: 9, binds: true},
		}, Broken},
		{"the last decision counts", []event{
			{revision: 5, condition: "GPUIsLost"}, {decides: 4}, {decides: 6},
			{revision: 9, seconds: 0.1, binds: true},
		}, Broken},
		{"decided during the fault, bound after recovery", []event{
			{revision: 5, condition: "GPUIsLost"}, {decides: 6}, {revision: 7, condition: "-GPUIsLost"},
			{revision: 9, binds: true},
		}, Sound},
		{"decided between two faults", []event{
			{revision: 3, condition: "GPUIsLost"}, {revision: 5, condition: "-GPUIsLost"}, {decides: 6},
			{revision: 8, condition: "GPUIsLost"}, {revision: 9, seconds: 9, binds: true},
		}, InFlight},
		{"the decision was not heard", []event{
			{revision: 5, condition: "GPUIsLost"}, {revision: 9, binds: true},
		}, Unclear},
		{"decided within the gap in which the fault began", []event{
			{since: 4, revision: 8, condition: "GPUIsLost"}, {decides: 6},
			{revision: 9, seconds: 3, binds: true},
		}, Unclear},
		{"decided after the gap in which the fault began", []event{
			{since: 4, revision: 8, condition: "GPUIsLost"}, {decides: 8},
			{revision: 9, seconds: 3, binds: true},
		}, Broken},
	}
	law := court{ExcludingRules(), []string{"nvidia.com/gpu"}, true}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			report := law.judge(tell(c.story, []string{"nvidia.com/gpu"}))
			if len(report) != 1 || report[0].Verdict != c.want {
				t.Errorf("report %+v, want one placement %v", report, c.want)
			}
		})
	}
}

func TestWorstRuleDecides(t *testing.T) {
	story := []event{
		{revision: 3, condition: "GPUIsLost"},
		{revision: 5, seconds: 4.5, condition: "DStateProcess"},
		{revision: 9, seconds: 5, binds: true},
	}
	law := court{ExcludingRules(), []string{"nvidia.com/gpu"}, false}
	report := law.judge(tell(story, []string{"nvidia.com/gpu"}))
	want := Placement{"default", "p", "n", Broken, "GPUIsLost", 5 * time.Second,
		start.Add(5 * time.Second)}
	if len(report) != 1 || report[0] != want {
		t.Errorf("report %+v, want %+v", report, want)
	}
}

func TestPodsWithoutManagedResourceAreNotJudged(t *testing.T) {
	story := []event{{revision: 3, condition: "GPUIsLost"}, {revision: 9, seconds: 5, binds: true}}
	law := court{ExcludingRules(), []string{"nvidia.com/gpu"}, false}
	if report := law.judge(tell(story, []string{"cpu"})); len(report) != 0 {
		t.Errorf("judged %+v", report)
	}
}

func TestPodsAreJudgedByTheirFirstSight(t *testing.T) {
	h := newHistory()
	pod := boundPod("p", "nvidia.com/gpu")
	for i, second := range []int{0, 60} {
		h.sawPod(pod, at(int64(2+10*i)), start.Add(time.Duration(second)*time.Second))
		h.sawNode(nodeWith("GPUIsLost"), at(3), start.Add(time.Second))
	}
	report := court{ExcludingRules(), []string{"nvidia.com/gpu"}, false}.judge(h)
	if len(report) != 1 || report[0].Verdict != Sound {
		t.Errorf("a later update of a bound pod changed the verdict: %+v", report)
	}
}

func TestReportSelectsByVerdict(t *testing.T) {
	var report Report
	for i, verdict := range []Verdict{Sound, Broken, Broken, Unclear} {
		report = append(report, Placement{Pod: strconv.Itoa(i), Verdict: verdict})
	}
	if got := report.With(Broken); len(got) != 2 || got[0].Pod != "1" || got[1].Pod != "2" {
		t.Errorf("broken: %+v", got)
	}
}

func TestJudgeSeesWhatWasLast(t *testing.T) {
	j := &Judge{history: tell([]event{{revision: 3, condition: "GPUIsLost"},
		{revision: 4, condition: "DStateProcess"}, {revision: 5, condition: "-DStateProcess"}}, nil)}
	for condition, want := range map[string]bool{
		"GPUIsLost": true, "DStateProcess": false, "NICLinkDown": false,
	} {
		if got := j.SeesBroken("n", condition); got != want {
			t.Errorf("%s is broken: %v, want %v", condition, got, want)
		}
	}
}
