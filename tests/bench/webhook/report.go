package main

import (
	"fmt"
	"io"
	"text/tabwriter"

	"berth.dev/berth/tests/e2e/spread"
)

// report prints the rates of every way, then their ratios to the first way, round by round, and what
// they cost kube-apiserver.
func report(w io.Writer, ways []*way) {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(table, "\tmedian\tlower quartile\tupper quartile\tmin\tmax\t")
	for _, way := range ways {
		row(table, way.name+", pods/s", "%.0f", way.rates)
	}
	for _, way := range ways[1:] {
		row(table, way.name+" : "+ways[0].name, "%.2f", spread.Ratios(way.rates, ways[0].rates))
	}
	for _, way := range ways {
		row(table, way.name+", kube-apiserver's CPU ms/pod", "%.2f", way.costs)
	}
	table.Flush()
}

func row(w io.Writer, name, format string, values []float64) {
	fmt.Fprintf(w, "%s\t", name)
	for _, share := range []float64{0.5, 0.25, 0.75, 0, 1} {
		fmt.Fprintf(w, format+"\t", spread.Quantile(values, share))
	}
	fmt.Fprintln(w)
}
