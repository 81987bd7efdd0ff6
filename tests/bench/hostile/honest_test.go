package main

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"berth.dev/berth/tests/bench/ask"
	"berth.dev/berth/tests/e2e/fleet"
)

func numbered(prefix string, count int) []string {
	var names []string
	for i := range count {
		names = append(names, fmt.Sprint(prefix, i))
	}
	return names
}

func TestNamesAreSpreadAndFollowTheReplacedNodes(t *testing.T) {
	old, next := numbered("old", 80), numbered("new", 80)
	cases := []struct {
		stage, count int
		want         []string
	}{
		{0, 4, []string{"old10", "old30", "old50", "old70"}},
		{1, 4, []string{"old10", "old30", "old50", "old70"}},
		{2, 4, []string{"new10", "old30", "old50", "old70"}},
		{5, 4, []string{"new10", "new30", "old50", "old70"}},
		{stages, 4, []string{"new10", "new30", "new50", "new70"}},
		{0, 80, old},
		{3, 80, append(slices.Clone(next[:24]), old[24:]...)},
		{stages, 80, next},
	}
	for _, c := range cases {
		if got := namesAt(c.stage, old, next, c.count); !slices.Equal(got, c.want) {
			t.Errorf("stage %d: %d names %q, want %q", c.stage, c.count, got, c.want)
		}
	}
}

// Stages are coarser than the slices in which nodes are replaced: some names lag behind.
func TestNearlyAllNamesAreOfNodesThatAreThere(t *testing.T) {
	for _, nodes := range []int{50, 7498} {
		old := ask.NodeNames(renamed(fleet.Scaled(nodes), 0))
		next := ask.NodeNames(renamed(fleet.Scaled(nodes), 1))
		for _, count := range []int{8, nodes} {
			for slice := range slicesOfBlock + 1 {
				there := map[string]bool{}
				replaced := nodes * slice / slicesOfBlock
				for _, name := range append(slices.Clone(next[:replaced]), old[replaced:]...) {
					there[name] = true
				}
				missing := 0
				for _, name := range namesAt(slice*stages/slicesOfBlock, old, next, count) {
					if !there[name] {
						missing++
					}
				}
				if missing > count/stages+1 {
					t.Errorf("%d of %d names are of none of %d nodes, of which %d have been replaced",
						missing, count, nodes, replaced)
				}
			}
		}
	}
}

func TestAnswers(t *testing.T) {
	refused := func(reasons ...string) string {
		var nodes []string
		for i, reason := range reasons {
			nodes = append(nodes, fmt.Sprintf(`"n%d":"node(s) %s"`, i, reason))
		}
		return fmt.Sprintf(`{"NodeNames":[],"FailedAndUnresolvableNodes":{%s}}`,
			strings.Join(nodes, ","))
	}
	const missing, other = "were unknown to Berth", "had accelerator A30, not one the pod asks for"
	cases := []struct {
		name, reply string
		want        string // in the error; empty: none
	}{
		{"all fit", `{"NodeNames":["a","b","c","d"]}`, ""},
		{"none fits", refused(other, other, other, other), ""},
		{"half are unknown", refused(missing, other, missing, other), ""},
		{"most are unknown", refused(missing, other, missing, missing), "3 of 4 nodes were unknown"},
		{"an error", `{"NodeNames":[],"Error":"berth: no"}`, "no answer"},
		{"something else", `{}`, "no answer"},
	}
	for _, c := range cases {
		err := checkAnswer([]byte(c.reply), 4)
		if (err != nil) != (c.want != "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want %q", c.name, err, c.want)
		}
	}
}
