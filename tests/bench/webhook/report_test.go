package main

import (
	"strings"
	"testing"
)

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
