package main

import (
	"fmt"
	"strconv"
	"strings"

	schedulerconfig "k8s.io/kube-scheduler/config/v1"

	"berth.dev/berth/tests/e2e/box"
)

// filterOnly is what stands behind a size if Berth is not asked to prioritize.
const filterOnly = "+filter-only"

// way is one way to have pods placed.
type way struct {
	title      string
	berth      *box.BerthOptions // nil: kube-scheduler alone
	shortlist  int               // its size; 0: none
	filterOnly bool
}

// parseWays are kube-scheduler alone, with Berth, and with a shortlist of each of the sizes that
// commas separate.
func parseWays(shortlists string) ([]way, error) {
	ways := []way{
		{title: "kube-scheduler alone"},
		{title: "kube-scheduler with Berth", berth: withShortlist(0)},
	}
	if shortlists == "" {
		return ways, nil
	}
	for text := range strings.SplitSeq(shortlists, ",") {
		w, err := parseShortlist(strings.TrimSpace(text))
		if err != nil {
			return nil, err
		}
		ways = append(ways, w)
	}
	return ways, nil
}

func parseShortlist(text string) (way, error) {
	number, only := strings.CutSuffix(text, filterOnly)
	size, err := strconv.Atoi(number)
	if err != nil || size < 1 {
		return way{}, fmt.Errorf("-shortlists: %q is no size of a shortlist; write a list such as "+
			"1,8,8%s", text, filterOnly)
	}
	return way{
		title: "shortlist " + text, shortlist: size, filterOnly: only,
		berth: withShortlist(size),
	}, nil
}

func withShortlist(size int) *box.BerthOptions {
	return &box.BerthOptions{Config: map[string]any{
		"extender": map[string]any{"shortlist": map[string]any{"size": size}}}}
}

// register has kube-scheduler, whose configuration has Berth's entry, ask it as the way says.
func (w way) register(config *schedulerconfig.KubeSchedulerConfiguration) {
	if w.filterOnly {
		config.Extenders[0].PrioritizeVerb = ""
	}
}
