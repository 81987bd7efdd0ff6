package main

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"berth.dev/berth/tests/e2e/fleet"
	"berth.dev/berth/tests/e2e/judge"
)

const (
	nameWidth    = 52
	cellWidth    = 28
	explainLines = 8
)

// printTable shows all results side by side.
func printTable(out io.Writer, pools []fleet.Pool, results []result) {
	row := func(name string, value func(result) string) {
		fmt.Fprintf(out, "%-*s", nameWidth, name)
		for _, r := range results {
			fmt.Fprintf(out, "%*s", cellWidth, value(r))
		}
		fmt.Fprintln(out)
	}
	fmt.Fprintln(out)
	row("", func(r result) string { return r.title })
	for _, pool := range pools {
		if pool.Accelerator != "" {
			row("pods placed on "+pool.Accelerator,
				func(r result) string { return strconv.Itoa(r.tally.placed[pool.Accelerator]) })
		}
	}
	row("pods without a node at the end",
		func(r result) string { return strconv.Itoa(r.tally.pending) })
	row("pods on a model or memory they did not ask for",
		func(r result) string { return strconv.Itoa(r.tally.unwanted) })
	row("pods bound before the fault was known (in flight)", countOf(judge.InFlight))
	row("pods placed on a broken node", countOf(judge.Broken))
	row("nodes that a Job without limits ran out of memory on",
		func(r result) string { return strconv.Itoa(r.bomb.nodes) })
	row("pods of it that were killed", func(r result) string { return strconv.Itoa(r.bomb.pods) })
	fmt.Fprintln(out, "kube-scheduler alone does not know the annotations by which most pods name a "+
		"model;\nonly node selectors bind it. It spreads pods by default, so few nodes stay whole.")
}

func countOf(verdict judge.Verdict) func(result) string {
	return func(r result) string { return strconv.Itoa(len(r.report.With(verdict))) }
}

// printBroken is the line by which a run is judged; the last one printed is Berth's.
func printBroken(out io.Writer, r result) {
	fmt.Fprintf(out, "pods placed on a broken node: %d\n", len(r.report.With(judge.Broken)))
}

// printEvidence names the pods on broken nodes, at most so many.
func printEvidence(out io.Writer, r result, limit int) {
	found := r.report.With(judge.Broken)
	for i, p := range found {
		if i == limit {
			fmt.Fprintf(out, "  ... and %d more\n", len(found)-limit)
			return
		}
		fmt.Fprintf(out, "  %s on %s, %s there for %.1f s\n", p.Pod, p.Node, p.Condition,
			p.After.Seconds())
	}
}

// printWaiting shows why a pod waited, in kube-scheduler's words and in Berth's.
func printWaiting(out io.Writer, story waiting) {
	fmt.Fprintf(out, "\nA pod that had to wait: %s asks for one A100 with 80Gi, "+
		"and all such nodes were broken.\n", story.pod)
	fmt.Fprintf(out, "\nkube-scheduler's event:\n%s\n", indent(story.event))
	fmt.Fprintf(out, "\nberth explain -f pod.yaml:\n%s\n",
		indent(head(story.explained, explainLines)))
	fmt.Fprintf(out, "\nThen the nodes were repaired, and it was placed on %s within %.1f s.\n",
		story.node, story.afterwards.Seconds())
}

// head keeps the first lines of a text; berth explain ends with a line for every node.
func head(text string, limit int) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	if len(lines) <= limit {
		return text
	}
	return fmt.Sprintf("%s\n... and %d more lines", strings.Join(lines[:limit], "\n"), len(lines)-limit)
}

func indent(text string) string {
	return "  " + strings.ReplaceAll(strings.TrimSpace(text), "\n", "\n  ")
}
