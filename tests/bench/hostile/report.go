package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
)

const (
	leastShare    = 0.9       // of the quiet throughput
	mostGrowth    = 96 * 1024 // KiB resident
	limitsHit     = "berth_http_limits_hit_total"
	badHandshakes = "berth_http_handshake_failures_total"
)

// result is one kind of honest request during one attack: requests a second by pair.
type result struct {
	assault, request string
	cost             float64 // of the attack alone: Berth's share of a core
	quiet, attacked  []float64
}

// shares are what the attack leaves of the throughput, by pair.
func (r *result) shares() []float64 {
	var shares []float64
	for i := range r.quiet {
		shares = append(shares, r.attacked[i]/r.quiet[i])
	}
	return shares
}

// printTable shows medians, with the least and the greatest.
func printTable(w io.Writer, results []*result) {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "beside it\tof a core\tfilter of\tquiet, requests/s\tattacked, requests/s\t"+
		"attacked / quiet")
	for _, r := range results {
		fmt.Fprintf(table, "%s\t%.1f %%\t%s\t%s\t%s\t%s\n", r.assault, 100*r.cost, r.request,
			spread(r.quiet, 0), spread(r.attacked, 0), spread(r.shares(), 2))
	}
	_ = table.Flush() // w keeps its error
}

// spread is the median of values with the least, the quartiles and the greatest.
func spread(values []float64, digits int) string {
	at := func(share float64) float64 { return quantile(values, share) }
	return fmt.Sprintf("%.*f (%.*f, %.*f to %.*f, %.*f)", digits, at(0.5), digits, at(0), digits,
		at(0.25), digits, at(0.75), digits, at(1))
}

// quantile is the value below which such a share of the values is, interpolated between two.
func quantile(values []float64, share float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	place := share * float64(len(sorted)-1)
	below := int(place)
	above := min(below+1, len(sorted)-1)
	return sorted[below] + (place-float64(below))*(sorted[above]-sorted[below])
}

// verdict is an error where an attack costs more than it may.
func verdict(results []*result) error {
	var failures []error
	for _, r := range results {
		if share := quantile(r.shares(), 0.5); share < leastShare {
			failures = append(failures, fmt.Errorf(
				"%s: filter of %s keeps %.2f of its throughput, want %.2f", r.assault, r.request, share,
				leastShare))
		}
	}
	return errors.Join(failures...)
}

// report tells what Berth counted and what it took; an error where it took too much memory.
func (b *bench) report(ctx context.Context, w io.Writer) error {
	samples, err := b.box.Berth.Metrics(ctx)
	if err != nil {
		return err
	}
	for _, family := range []struct{ name, label string }{
		{limitsHit, "limit"}, {badHandshakes, "cause"},
	} {
		var counts []string
		for _, sample := range samples.With(family.name, `listener="extender"`) {
			counts = append(counts, fmt.Sprintf("%s %.0f", sample.Label(family.label), sample.Value))
		}
		fmt.Fprintf(w, "%s: %s\n", family.name, strings.Join(counts, ", "))
	}
	fmt.Fprintf(w, "resident memory: %d MiB before, %d MiB at most\n", b.quiet>>10, b.most>>10)
	if growth := b.most - b.quiet; growth > mostGrowth {
		return fmt.Errorf("memory grew by %d MiB, want %d MiB at most", growth>>10, mostGrowth>>10)
	}
	return nil
}
