package main

import (
	"fmt"
	"time"
)

const (
	// warmUpShare of the run is left out: pods and faults have to reach their usual number first.
	warmUpShare = 0.2
	// growthLimit is by how much of its mean the fitted memory may grow in the rest of the run.
	growthLimit = 0.05
)

// trend is a straight line through the memory after the warm-up.
type trend struct {
	over      time.Duration
	meanMiB   float64
	growthMiB float64 // from the line's beginning to its end
}

func (t trend) share() float64 { return t.growthMiB / t.meanMiB }

func (t trend) String() string {
	return fmt.Sprintf("resident memory %.1f MiB in the mean, %+.2f MiB (%+.1f %%) in %.0f s after "+
		"the warm-up; at most +%.0f %% counts as flat", t.meanMiB, t.growthMiB, 100*t.share(),
		t.over.Seconds(), 100*growthLimit)
}

func (t trend) verdict() error {
	if t.share() > growthLimit {
		return fmt.Errorf("memory is not flat: %v", t)
	}
	return nil
}

// trendOf fits the line by least squares.
func trendOf(samples []sample) (trend, error) {
	rest := samples[int(warmUpShare*float64(len(samples))):]
	if len(rest) < 3 {
		return trend{}, fmt.Errorf("%d samples after the warm-up tell nothing: run longer", len(rest))
	}
	var meanX, meanY float64
	for _, s := range rest {
		meanX += s.Seconds / float64(len(rest))
		meanY += s.ResidentMiB() / float64(len(rest))
	}
	var covariance, variance float64
	for _, s := range rest {
		covariance += (s.Seconds - meanX) * (s.ResidentMiB() - meanY)
		variance += (s.Seconds - meanX) * (s.Seconds - meanX)
	}
	length := rest[len(rest)-1].Seconds - rest[0].Seconds
	return trend{
		over:      time.Duration(length * float64(time.Second)),
		meanMiB:   meanY,
		growthMiB: covariance / variance * length,
	}, nil
}
