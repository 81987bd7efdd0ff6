package main

import (
	"bytes"
	"strings"
	"testing"
)

func TestQuantile(t *testing.T) {
	values := []float64{4, 1, 3, 2}
	for share, want := range map[float64]float64{0: 1, 0.25: 1.75, 0.5: 2.5, 1: 4} {
		if got := quantile(values, share); got != want {
			t.Errorf("quantile %v of %v is %v, want %v", share, values, got, want)
		}
	}
	if got := quantile([]float64{7}, 0.5); got != 7 {
		t.Errorf("median of 7 is %v", got)
	}
}

func TestVerdictIsOnMedianOfPairs(t *testing.T) {
	quiet := []float64{100, 200, 100}
	fine := &result{assault: "a", request: "8 names", quiet: quiet, attacked: []float64{95, 180, 20}}
	slow := &result{assault: "b", request: "8 names", quiet: quiet, attacked: []float64{89, 200, 80}}
	if err := verdict([]*result{fine}); err != nil {
		t.Error(err)
	}
	err := verdict([]*result{fine, slow})
	if want := "b: filter of 8 names keeps 0.89"; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("error %v, want %q", err, want)
	}
}

func TestTableShowsTheSpreadOfPairs(t *testing.T) {
	var out bytes.Buffer
	printTable(&out, []*result{{assault: "a", cost: 0.123, request: "8 names",
		quiet:    []float64{100, 200, 400},
		attacked: []float64{50, 180, 400}}})
	text := strings.Join(strings.Fields(out.String()), " ")
	want := "a 12.3 % 8 names 200 (100, 150 to 300, 400) 180 (50, 115 to 290, 400) " +
		"0.90 (0.50, 0.70 to 0.95, 1.00)"
	if !strings.Contains(text, want) {
		t.Errorf("no %q in\n%s", want, text)
	}
}
