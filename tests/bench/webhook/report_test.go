package main

import (
	"strings"
	"testing"
)

func TestQuantiles(t *testing.T) {
	values := []float64{40, 10, 30, 20}
	for share, want := range map[float64]float64{0: 10, 0.25: 17.5, 0.5: 25, 0.75: 32.5, 1: 40} {
		if got := quantile(values, share); got != want {
			t.Errorf("%v of %v is %v, want %v", share, values, got, want)
		}
	}
	if got := quantile([]float64{7}, 0.75); got != 7 {
		t.Errorf("of one value %v", got)
	}
	if values[0] != 40 {
		t.Error("the values were sorted in place: rounds do not match any more")
	}
}

// A machine that is slow for a round is slow for all: only what is of one round is compared.
func TestRatiosAreOfOneRound(t *testing.T) {
	var out strings.Builder
	report(&out, []*way{
		{name: "none", rates: []float64{100, 10, 200}, costs: []float64{1, 1, 1}},
		{name: "some", rates: []float64{50, 5, 100}, costs: []float64{2, 2, 2}},
	})
	text := strings.Join(strings.Fields(out.String()), " ")
	if !strings.Contains(text, "some : none 0.50 0.50 0.50 0.50 0.50 ") {
		t.Errorf("not a half in every round:\n%s", out.String())
	}
}
