package box

import (
	"math"
	"slices"
	"strconv"
)

// Bucket is one of a histogram: how many values were at most so great.
type Bucket struct {
	UpTo  float64 // +Inf for the last
	Count float64
}

// Histogram is what a metric of that type says, the greatest bucket last. Empty if there is none.
type Histogram []Bucket

// Histogram selects the buckets of a histogram that have all of the labels (`name="value"`), which
// leave one series.
func (s Samples) Histogram(name string, labels ...string) Histogram {
	var buckets Histogram
	for _, sample := range s.With(name+"_bucket", labels...) {
		upTo, err := strconv.ParseFloat(sample.Label("le"), 64)
		if err == nil {
			buckets = append(buckets, Bucket{upTo, sample.Value})
		}
	}
	slices.SortFunc(buckets, func(a, b Bucket) int {
		if a.UpTo < b.UpTo {
			return -1
		}
		return 1
	})
	return buckets
}

// Since is what came to the histogram after an earlier reading of it, which may be empty.
func (h Histogram) Since(earlier Histogram) Histogram {
	if len(earlier) != len(h) {
		return h // the first reading
	}
	var came Histogram
	for i := range h {
		came = append(came, Bucket{h[i].UpTo, h[i].Count - earlier[i].Count})
	}
	return came
}

// Count is the number of all values.
func (h Histogram) Count() float64 {
	if len(h) == 0 {
		return 0
	}
	return h[len(h)-1].Count
}

// Quantile is what the share of all values stayed below: within a bucket they are taken to be
// spread evenly, as Prometheus does. 0 without any value.
func (h Histogram) Quantile(share float64) float64 {
	want := share * h.Count()
	below := Bucket{}
	for _, b := range h {
		if want > 0 && b.Count >= want {
			if math.IsInf(b.UpTo, 1) {
				return below.UpTo // nothing more is known
			}
			return below.UpTo + (b.UpTo-below.UpTo)*(want-below.Count)/(b.Count-below.Count)
		}
		below = b
	}
	return 0
}
