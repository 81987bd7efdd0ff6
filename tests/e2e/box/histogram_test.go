package box

import (
	"math"
	"reflect"
	"testing"
)

func TestBucketsAreInOrder(t *testing.T) {
	const name = "berth_extender_duration_seconds"
	samples := Samples{
		{Name: name + "_bucket", Labels: `verb="filter",le="+Inf"`, Value: 9},
		{Name: name + "_bucket", Labels: `verb="filter",le="0.01"`, Value: 7},
		{Name: name + "_bucket", Labels: `verb="filter",le="0.001"`, Value: 5},
		{Name: name + "_bucket", Labels: `verb="prioritize",le="0.001"`, Value: 1},
		{Name: name + "_sum", Labels: `verb="filter"`, Value: 0.02},
	}
	want := Histogram{{0.001, 5}, {0.01, 7}, {math.Inf(1), 9}}
	if got := samples.Histogram(name, `verb="filter"`); !reflect.DeepEqual(got, want) {
		t.Errorf("buckets %v, want %v", got, want)
	}
	if got := samples.Histogram(name, `verb="preempt"`); got.Count() != 0 {
		t.Errorf("buckets %v of a verb that has none", got)
	}
}

func TestSinceCountsTheIntervalOnly(t *testing.T) {
	earlier := Histogram{{0.001, 5}, {math.Inf(1), 9}}
	later := Histogram{{0.001, 6}, {math.Inf(1), 19}}
	want := Histogram{{0.001, 1}, {math.Inf(1), 10}}
	if got := later.Since(earlier); !reflect.DeepEqual(got, want) {
		t.Errorf("came %v, want %v", got, want)
	}
	if got := later.Since(nil); !reflect.DeepEqual(got, later) {
		t.Errorf("at the first reading came %v, want all of %v", got, later)
	}
}

func TestQuantileOfAHistogram(t *testing.T) {
	buckets := Histogram{{1, 50}, {2, 90}, {4, 100}, {math.Inf(1), 100}}
	beyond := Histogram{{1, 50}, {math.Inf(1), 100}}
	cases := []struct {
		share     float64
		histogram Histogram
		want      float64
	}{
		{0.5, buckets, 1}, {0.25, buckets, 0.5}, {0.7, buckets, 1.5}, {0.95, buckets, 3},
		{0.99, beyond, 1}, // more than the last limit, by who knows how much
		{0.5, nil, 0}, {0.5, Histogram{{1, 0}, {math.Inf(1), 0}}, 0},
	}
	for _, c := range cases {
		if got := c.histogram.Quantile(c.share); math.Abs(got-c.want) > 1e-9 {
			t.Errorf("quantile %v of %v is %v, want %v", c.share, c.histogram, got, c.want)
		}
	}
}
