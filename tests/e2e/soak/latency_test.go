package main

import (
	"math"
	"reflect"
	"testing"

	"berth.dev/berth/tests/e2e/box"
)

func TestFilterBucketsAreInOrder(t *testing.T) {
	samples := box.Samples{
		{Name: durations, Labels: `verb="filter",le="+Inf"`, Value: 9},
		{Name: durations, Labels: `verb="filter",le="0.01"`, Value: 7},
		{Name: durations, Labels: `verb="filter",le="0.001"`, Value: 5},
		{Name: durations, Labels: `verb="prioritize",le="0.001"`, Value: 1},
	}
	want := []bucket{{0.001, 5}, {0.01, 7}, {math.Inf(1), 9}}
	if got := filterBuckets(samples); !reflect.DeepEqual(got, want) {
		t.Errorf("buckets %v, want %v", got, want)
	}
}

func TestSinceCountsTheIntervalOnly(t *testing.T) {
	earlier := []bucket{{0.001, 5}, {math.Inf(1), 9}}
	later := []bucket{{0.001, 6}, {math.Inf(1), 19}}
	want := []bucket{{0.001, 1}, {math.Inf(1), 10}}
	if got := since(earlier, later); !reflect.DeepEqual(got, want) {
		t.Errorf("came %v, want %v", got, want)
	}
	if got := since(nil, later); !reflect.DeepEqual(got, later) {
		t.Errorf("at the first reading came %v, want all of %v", got, later)
	}
}

func TestQuantile(t *testing.T) {
	buckets := []bucket{{1, 50}, {2, 90}, {4, 100}, {math.Inf(1), 100}}
	beyond := []bucket{{1, 50}, {math.Inf(1), 100}}
	cases := []struct {
		share   float64
		buckets []bucket
		want    float64
	}{
		{0.5, buckets, 1}, {0.25, buckets, 0.5}, {0.7, buckets, 1.5}, {0.95, buckets, 3},
		{0.99, beyond, 1}, // more than the last limit, by who knows how much
		{0.5, nil, 0}, {0.5, []bucket{{1, 0}, {math.Inf(1), 0}}, 0},
	}
	for _, c := range cases {
		if got := quantile(c.share, c.buckets); math.Abs(got-c.want) > 1e-9 {
			t.Errorf("quantile %v of %v is %v, want %v", c.share, c.buckets, got, c.want)
		}
	}
}
