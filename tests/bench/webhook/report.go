package main

import (
	"fmt"
	"io"
	"slices"
	"text/tabwriter"
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
		row(table, way.name+" : "+ways[0].name, "%.2f", ratios(way.rates, ways[0].rates))
	}
	for _, way := range ways {
		row(table, way.name+", kube-apiserver's CPU ms/pod", "%.2f", way.costs)
	}
	table.Flush()
}

func row(w io.Writer, name, format string, values []float64) {
	fmt.Fprintf(w, "%s\t", name)
	for _, share := range []float64{0.5, 0.25, 0.75, 0, 1} {
		fmt.Fprintf(w, format+"\t", quantile(values, share))
	}
	fmt.Fprintln(w)
}

func ratios(of, to []float64) []float64 {
	result := make([]float64, len(of))
	for i := range of {
		result[i] = of[i] / to[i]
	}
	return result
}

// quantile is the value that a share of the values is at or below, between two of them by proportion.
func quantile(values []float64, share float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	at := share * float64(len(sorted)-1)
	low := int(at)
	high := min(low+1, len(sorted)-1)
	return sorted[low] + (at-float64(low))*(sorted[high]-sorted[low])
}
