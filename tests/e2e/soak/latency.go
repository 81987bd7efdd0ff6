package main

import (
	"math"
	"slices"
	"strconv"

	"berth.dev/berth/tests/e2e/box"
)

const durations = "berth_extender_duration_seconds_bucket"

// bucket is one of a histogram: how many took at most so long.
type bucket struct {
	upTo  float64 // seconds; +Inf for the last
	count float64
}

// filterBuckets are those of the filter calls so far.
func filterBuckets(samples box.Samples) []bucket {
	var buckets []bucket
	for _, sample := range samples.With(durations, `verb="filter"`) {
		upTo, err := strconv.ParseFloat(sample.Label("le"), 64)
		if err == nil {
			buckets = append(buckets, bucket{upTo, sample.Value})
		}
	}
	slices.SortFunc(buckets, func(a, b bucket) int {
		if a.upTo < b.upTo {
			return -1
		}
		return 1
	})
	return buckets
}

// since is what came to a histogram after an earlier reading of it.
func since(earlier, later []bucket) []bucket {
	if len(earlier) != len(later) {
		return later // the first reading
	}
	var came []bucket
	for i := range later {
		came = append(came, bucket{later[i].upTo, later[i].count - earlier[i].count})
	}
	return came
}

func calls(buckets []bucket) float64 {
	if len(buckets) == 0 {
		return 0
	}
	return buckets[len(buckets)-1].count
}

// quantile is the time that the share of all calls stayed below, in seconds: within a bucket they
// are taken to be spread evenly, as Prometheus does. 0 without any call.
func quantile(share float64, buckets []bucket) float64 {
	want := share * calls(buckets)
	below := bucket{}
	for _, b := range buckets {
		if want > 0 && b.count >= want {
			if math.IsInf(b.upTo, 1) {
				return below.upTo // nothing more is known
			}
			return below.upTo + (b.upTo-below.upTo)*(want-below.count)/(b.count-below.count)
		}
		below = b
	}
	return 0
}
