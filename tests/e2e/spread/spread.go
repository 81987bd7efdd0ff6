// Package spread tells how measurements that were repeated differ.
package spread

import "slices"

// Spread are the quartiles and the ends of values.
type Spread struct {
	Median        float64 `json:"median"`
	LowerQuartile float64 `json:"lowerQuartile"`
	UpperQuartile float64 `json:"upperQuartile"`
	Min           float64 `json:"min"`
	Max           float64 `json:"max"`
}

// Of values, at least one.
func Of(values []float64) Spread {
	return Spread{Median: Quantile(values, 0.5), LowerQuartile: Quantile(values, 0.25),
		UpperQuartile: Quantile(values, 0.75), Min: slices.Min(values), Max: slices.Max(values)}
}

// Quantile is the value that a share of the values is at or below, in proportion between two.
func Quantile(values []float64, share float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	at := share * float64(len(sorted)-1)
	low := int(at)
	high := min(low+1, len(sorted)-1)
	return sorted[low] + (at-float64(low))*(sorted[high]-sorted[low])
}

// Ratios compares what was measured in the same round.
func Ratios(of, to []float64) []float64 {
	result := make([]float64, len(of))
	for i := range of {
		result[i] = of[i] / to[i]
	}
	return result
}
