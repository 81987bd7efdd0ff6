package main

import (
	"context"
	"fmt"
	"strings"
)

// part is one of the things that are measured.
type part struct {
	name    string
	title   string
	measure func(*bench, context.Context) error
}

// allParts are in the order in which they are measured. The last two are measured on clusters that
// are generated; the others share a real one.
var allParts = []part{
	{"starts", "how soon Berth serves after its start", (*bench).startOften},
	{"answers", "answers without a pause", (*bench).ask},
	{"changes", "how soon a broken node is refused", (*bench).breakNodes},
	{"scheduled", "answers to a real kube-scheduler", (*bench).schedule},
	{"sizes", "clusters of growing size", (*bench).grow},
	{"memory", "a cluster with many pods", (*bench).fill},
}

func partNames() string {
	var names []string
	for _, p := range allParts {
		names = append(names, p.name)
	}
	return strings.Join(names, ",")
}

// parseParts reads names that commas separate; their order does not matter.
func parseParts(text string) ([]part, error) {
	wanted := map[string]bool{}
	for name := range strings.SplitSeq(text, ",") {
		wanted[strings.TrimSpace(name)] = true
	}
	var parts []part
	for _, p := range allParts {
		if wanted[p.name] {
			parts = append(parts, p)
			delete(wanted, p.name)
		}
	}
	for name := range wanted {
		return nil, fmt.Errorf("-parts: %q is no part; write some of %s", name, partNames())
	}
	return parts, nil
}
