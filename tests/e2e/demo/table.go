package main

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"text/tabwriter"

	"berth.dev/berth/tests/e2e/fleet"
	"berth.dev/berth/tests/e2e/judge"
)

// printTable shows all results side by side.
func printTable(out io.Writer, pools []fleet.Pool, results []result) {
	fmt.Fprintln(out)
	table := tabwriter.NewWriter(out, 0, 0, 3, ' ', tabwriter.AlignRight)
	row := func(name string, value func(result) string) {
		cells := []string{name}
		for _, r := range results {
			cells = append(cells, value(r))
		}
		fmt.Fprintln(table, strings.Join(cells, "\t")+"\t")
	}
	row("", func(r result) string { return r.title })
	for _, pool := range pools {
		if pool.Accelerator != "" {
			row("pods placed on "+pool.Accelerator,
				func(r result) string { return strconv.Itoa(r.tally.placed[pool.Accelerator]) })
		}
	}
	row("pods without a node", func(r result) string { return strconv.Itoa(r.tally.pending) })
	row("pods on a model or memory they did not ask for",
		func(r result) string { return strconv.Itoa(r.tally.unwanted) })
	row("pods bound within 1 s of the fault (in flight)", countOf(judge.InFlight))
	row("pods placed on a broken node", countOf(judge.Broken))
	table.Flush()
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
	fmt.Fprintf(out, "\nA pod that had to wait: %s asks for one A100 with 80Gi; all such nodes were broken.\n",
		story.pod)
	fmt.Fprintf(out, "\nkube-scheduler's event:\n%s\n", indent(story.event))
	fmt.Fprintf(out, "\nberth explain -f pod.yaml:\n%s\n", indent(story.explained))
	fmt.Fprintf(out, "\nAfter the repair it was placed on %s within %.1f s.\n", story.node,
		story.afterwards.Seconds())
}

func indent(text string) string {
	return "  " + strings.ReplaceAll(strings.TrimSpace(text), "\n", "\n  ")
}
