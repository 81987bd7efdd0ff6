package main

import (
	"fmt"
	"io"
	"slices"

	"berth.dev/berth/tests/e2e/fleet"
	"berth.dev/berth/tests/e2e/stranded"
)

const (
	nameWidth = 44
	cellWidth = 28
)

// line is a row of the table: a figure of what a cluster holds.
type line struct {
	name  string
	value func(stranded.Holding) int64
}

// column is what a cluster did with every seed.
type column struct {
	title    string
	outcomes []outcome
}

// printTable shows all columns side by side, at both moments.
func printTable(out io.Writer, pools []fleet.Pool, columns []column) {
	fmt.Fprintf(out, "\n%-*s", nameWidth, "mean of the seeds (least to most)")
	for _, c := range columns {
		fmt.Fprintf(out, "%*s", cellWidth, c.title)
	}
	fmt.Fprintln(out)
	fmt.Fprintln(out, "as many devices asked for as there are")
	printLines(out, pools, columns, func(o outcome) stranded.Holding { return o.atCapacity })
	fmt.Fprintln(out, "after all pods")
	printLines(out, pools, columns, func(o outcome) stranded.Holding { return o.atEnd })
}

func printLines(
	out io.Writer, pools []fleet.Pool, columns []column, moment func(outcome) stranded.Holding,
) {
	for _, l := range linesFor(pools) {
		fmt.Fprintf(out, "%-*s", nameWidth, "  "+l.name)
		for _, c := range columns {
			var values []int64
			for _, o := range c.outcomes {
				values = append(values, l.value(moment(o)))
			}
			fmt.Fprintf(out, "%*s", cellWidth, spread(values))
		}
		fmt.Fprintln(out)
	}
}

func linesFor(pools []fleet.Pool) []line {
	lines := []line{{"devices stranded", stranded.Holding.Total}}
	for _, pool := range pools {
		if pool.Accelerator != "" {
			lines = append(lines, line{fmt.Sprintf("  %s, of %d", pool.Accelerator,
				int64(pool.Nodes)*pool.Devices),
				func(h stranded.Holding) int64 { return h.Stranded[pool.Accelerator] }})
		}
	}
	return append(lines,
		line{"pods that wait", func(h stranded.Holding) int64 { return int64(h.Waiting) }},
		line{"devices that they ask for", func(h stranded.Holding) int64 { return h.Asked }},
		line{"whole-node pods placed", func(h stranded.Holding) int64 { return int64(h.Whole) }})
}

// spread is the mean of values with the least and the greatest.
func spread(values []int64) string {
	sum := int64(0)
	for _, value := range values {
		sum += value
	}
	return fmt.Sprintf("%.1f (%d to %d)", float64(sum)/float64(len(values)),
		slices.Min(values), slices.Max(values))
}
