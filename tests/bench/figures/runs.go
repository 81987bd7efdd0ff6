package figures

import (
	"fmt"

	"berth.dev/berth/tests/e2e/spread"
)

// Runs are what one of those who are compared measured, round by round.
type Runs[Outcome any] []Outcome

// Values has one of each round.
func (r Runs[Outcome]) Values(of func(Outcome) float64) []float64 {
	var all []float64
	for _, outcome := range r {
		all = append(all, of(outcome))
	}
	return all
}

// Median is that of the rounds, of which there is at least one.
func (r Runs[Outcome]) Median(format string, of func(Outcome) float64) string {
	return fmt.Sprintf(format, spread.Quantile(r.Values(of), 0.5))
}

// Sum is what all rounds counted.
func (r Runs[Outcome]) Sum(of func(Outcome) int) int {
	total := 0
	for _, outcome := range r {
		total += of(outcome)
	}
	return total
}

// Cells are three columns of a table; see figures.Cells.
func (r Runs[Outcome]) Cells(format string, of func(Outcome) float64) string {
	return Cells(format, spread.Of(r.Values(of)))
}

// RatioTo is the median of what each round is of the same round of the others, "-" where rounds are
// missing.
func (r Runs[Outcome]) RatioTo(others Runs[Outcome], of func(Outcome) float64) string {
	if len(r) != len(others) {
		return "-"
	}
	return fmt.Sprintf("%.2f", spread.Quantile(spread.Ratios(r.Values(of), others.Values(of)), 0.5))
}
