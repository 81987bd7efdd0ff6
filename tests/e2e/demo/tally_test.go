package main

import (
	"reflect"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"berth.dev/berth/tests/e2e/fleet"
	"berth.dev/berth/tests/e2e/judge"
)

func podOn(node, accelerators, memory string) corev1.Pod {
	pod := corev1.Pod{ObjectMeta: metav1.ObjectMeta{Annotations: map[string]string{}}}
	pod.Spec.NodeName = node
	if accelerators != "" {
		pod.Annotations[fleet.AnnotationAccelerators] = accelerators
	}
	if memory != "" {
		pod.Annotations[fleet.AnnotationMemory] = memory
	}
	return pod
}

func TestTally(t *testing.T) {
	pools := fleet.Reference()
	nodes := map[string]*corev1.Node{}
	for _, node := range fleet.Nodes(pools, time.Time{}) {
		nodes[node.Name] = node
	}
	// mn2a: odd numbers have 16 GB, even ones 32; mn2b-a100: 40, 40, 80.
	cases := []struct {
		name     string
		pod      corev1.Pod
		placed   string
		unwanted int
		pending  int
	}{
		{"no wish", podOn("mn3-001", "", ""), "MN-Core", 0, 0},
		{"named model", podOn("mn2a-001", "V100", ""), "V100", 0, 0},
		{"second choice", podOn("mn2a-001", "A100, V100", ""), "V100", 0, 0},
		{"other model", podOn("mn2b-a30-001", "V100", ""), "A30", 1, 0},
		{"enough memory", podOn("mn2a-002", "", "32Gi"), "V100", 0, 0},
		{"drivers report less than nominal", podOn("mn2b-a100-001", "", "40Gi"), "A100", 0, 0},
		{"too little memory", podOn("mn2a-001", "V100", "32Gi"), "V100", 1, 0},
		{"no node", podOn("", "V100", ""), "", 0, 1},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			want := tally{placed: map[string]int{}, unwanted: c.unwanted, pending: c.pending}
			if c.placed != "" {
				want.placed[c.placed] = 1
			}
			got := tallyOf([]corev1.Pod{c.pod}, nodes, acceleratorByPool(pools))
			if !reflect.DeepEqual(got, want) {
				t.Errorf("tally %+v, want %+v", got, want)
			}
		})
	}
}

func resultWith(verdicts ...judge.Verdict) result {
	r := result{title: "column", tally: tally{placed: map[string]int{"V100": 7}},
		bomb: bomb{pods: 1, nodes: 1}}
	for _, v := range verdicts {
		r.report = append(r.report, judge.Placement{Pod: "p", Node: "n", Verdict: v})
	}
	return r
}

func TestVerdictOfTheDemo(t *testing.T) {
	hopped := resultWith(judge.Sound)
	hopped.bomb = bomb{pods: 7, nodes: 7}
	retried := resultWith(judge.Sound)
	retried.bomb = bomb{pods: 7, nodes: 1}
	cases := []struct {
		name   string
		result result
		fails  bool
	}{
		{"all sound", resultWith(judge.Sound, judge.Sound), false},
		{"in flight", resultWith(judge.InFlight), false},
		{"broken", resultWith(judge.Sound, judge.Broken), true},
		{"unclear", resultWith(judge.Unclear), true},
		{"the bomb hopped on", hopped, true},
		{"the bomb was retried on its node", retried, true},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			if err := verdict(c.result); (err != nil) != c.fails {
				t.Errorf("verdict %v", err)
			}
		})
	}
}

func TestTableHasAColumnForEachResult(t *testing.T) {
	var out strings.Builder
	one, two := resultWith(judge.Broken, judge.Broken, judge.InFlight), resultWith(judge.Sound)
	one.bomb = bomb{pods: 7, nodes: 6}
	printTable(&out, fleet.Reference(), []result{one, two})
	rows := map[string][]string{}
	for _, line := range strings.Split(out.String(), "\n") {
		if fields := strings.Fields(line); len(fields) > 2 {
			name := strings.Join(fields[:len(fields)-2], " ")
			rows[name] = fields[len(fields)-2:]
		}
	}
	want := map[string][]string{
		"pods placed on V100":                                  {"7", "7"},
		"pods placed on a broken node":                         {"2", "0"},
		"pods bound before the fault was known (in flight)":    {"1", "0"},
		"nodes that a Job without limits ran out of memory on": {"6", "1"},
		"pods of it that were killed":                          {"7", "1"},
	}
	for name, cells := range want {
		if !reflect.DeepEqual(rows[name], cells) {
			t.Errorf("row %q is %v, want %v in\n%s", name, rows[name], cells, out.String())
		}
	}
}
