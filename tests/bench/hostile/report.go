package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"berth.dev/berth/tests/bench/figures"
	"berth.dev/berth/tests/e2e/box"
	"berth.dev/berth/tests/e2e/spread"
)

const (
	leastShare = 0.9 // of the quiet throughput
	// KiB: the 128 MiB that a listener holds of bodies at most, and 64 MiB for connections and requests.
	mostGrowth    = (128 + 64) * 1024
	limitsHit     = "berth_http_limits_hit_total"
	badHandshakes = "berth_http_handshake_failures_total"
	onExtender    = `listener="extender"`
)

// reading is what Berth had used and who had come to it at some time.
type reading struct {
	at      time.Time
	cpu     float64 // seconds
	arrived float64 // connections
}

func (b *bench) read(ctx context.Context) (reading, error) {
	samples, err := b.box.Berth.Metrics(ctx)
	if err != nil {
		return reading{}, err
	}
	usage, err := b.box.Berth.Usage()
	return reading{at: time.Now(), cpu: usage.CPUSeconds,
		arrived: samples.Sum("berth_http_connections_total", onExtender)}, err
}

// pressure is what Berth does in a second.
type pressure struct {
	cores    float64 // seconds of CPU
	arrivals float64 // new connections
}

func (r reading) since(before reading) pressure {
	seconds := r.at.Sub(before.at).Seconds()
	return pressure{cores: (r.cpu - before.cpu) / seconds,
		arrivals: (r.arrived - before.arrived) / seconds}
}

// sample is what an honest client got in a block.
type sample struct {
	rate float64 // answers a second
	pressure
}

// milliseconds of CPU that Berth used for each answer, and for all that went on meanwhile.
func (s sample) milliseconds() float64 { return 1000 * s.cores / s.rate }

// less leaves out what Berth does about the attack alone.
func (s sample) less(alone pressure) sample {
	s.cores -= alone.cores
	return s
}

// result is what an attack costs.
type result struct {
	assault string
	alone   pressure // while nobody asks anything
	asked   []*comparison
}

// comparison is one kind of honest request, pair by pair.
type comparison struct {
	names           int
	quiet, attacked []sample
}

// add notes a pair: a sample for each kind of request.
func (r *result) add(names []int, quiet, attacked []sample) {
	for i, count := range names {
		if len(r.asked) == i {
			r.asked = append(r.asked, &comparison{names: count})
		}
		r.asked[i].quiet = append(r.asked[i].quiet, quiet[i])
		r.asked[i].attacked = append(r.asked[i].attacked, attacked[i])
	}
}

func rateOf(s sample) float64     { return s.rate }
func arrivalsOf(s sample) float64 { return s.arrivals }

func spreadOf(samples []sample, value func(sample) float64) spread.Spread {
	return spread.Of(valuesOf(samples, value))
}

func valuesOf(samples []sample, value func(sample) float64) []float64 {
	var values []float64
	for _, s := range samples {
		values = append(values, value(s))
	}
	return values
}

// shares are what the attack leaves of the throughput.
func (c *comparison) shares() spread.Spread {
	return spread.Of(spread.Ratios(valuesOf(c.attacked, rateOf), valuesOf(c.quiet, rateOf)))
}

// printTables shows what attacks cost Berth, and those who ask.
func printTables(w io.Writer, results []*result) error {
	alone := figures.NewTable("attack, while nobody asks", "connections/s", "Berth's cores")
	asked := figures.NewTable("attack", "filter of", "requests/s, quiet", "attacked",
		"attacked : quiet", figures.SpreadColumns, "Berth's CPU ms/request, quiet", "attacked",
		"less the attack alone", "connections/s meanwhile")
	for _, r := range results {
		alone.Row(r.assault, fmt.Sprintf("%.0f", r.alone.arrivals), fmt.Sprintf("%.3f", r.alone.cores))
		for _, c := range r.asked {
			median := func(format string, of []sample, value func(sample) float64) string {
				return fmt.Sprintf(format, spreadOf(of, value).Median)
			}
			asked.Row(r.assault, fmt.Sprintf("%d names", c.names), median("%.0f", c.quiet, rateOf),
				median("%.0f", c.attacked, rateOf), figures.Cells("%.2f", c.shares()),
				median("%.3f", c.quiet, sample.milliseconds),
				median("%.3f", c.attacked, sample.milliseconds),
				median("%.3f", c.attacked, func(s sample) float64 {
					return s.less(r.alone).milliseconds()
				}), median("%.0f", c.attacked, arrivalsOf))
		}
	}
	_, err := fmt.Fprintf(w, "%s%s\nMedians of the pairs; Berth's CPU is with all that it does about "+
		"the attack meanwhile, or less what that takes while nobody asks.\n", alone, asked)
	return err
}

// verdict is an error where an attack costs more than it may.
func verdict(results []*result) error {
	var failures []error
	for _, r := range results {
		for _, c := range r.asked {
			if share := c.shares().Median; share < leastShare {
				failures = append(failures, fmt.Errorf(
					"%s: filter of %d names keeps %.2f of its throughput, want %.2f", r.assault, c.names,
					share, leastShare))
			}
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
		for _, sample := range samples.With(family.name, onExtender) {
			counts = append(counts, fmt.Sprintf("%s %.0f", sample.Label(family.label), sample.Value))
		}
		fmt.Fprintf(w, "\n%s: %s\n", family.name, strings.Join(counts, ", "))
	}
	usage, err := b.box.Berth.Usage()
	if err != nil {
		return err
	}
	return reportMemory(w, b.quiet, usage)
}

// reportMemory is an error where the peak is too far above what was resident before any attack. The
// kernel's peak is that of the process's life: one that it reached while it started counts, too.
func reportMemory(w io.Writer, before, after box.Usage) error {
	fmt.Fprintf(w, "\nmemory: %d MiB resident before the attacks; peak since the start of Berth: "+
		"%d MiB before them, %d MiB after\n", before.ResidentKiB>>10, before.PeakKiB>>10,
		after.PeakKiB>>10)
	if growth := after.PeakKiB - before.ResidentKiB; growth > mostGrowth {
		return fmt.Errorf("memory peaked %d MiB above what was resident before, want %d MiB "+
			"at most", growth>>10, mostGrowth>>10)
	}
	return nil
}
