package spread

import (
	"reflect"
	"testing"
)

func TestQuantiles(t *testing.T) {
	values := []float64{40, 10, 30, 20}
	for share, want := range map[float64]float64{0: 10, 0.25: 17.5, 0.5: 25, 0.75: 32.5, 1: 40} {
		if got := Quantile(values, share); got != want {
			t.Errorf("%v of %v is %v, want %v", share, values, got, want)
		}
	}
	if got := Quantile([]float64{7}, 0.75); got != 7 {
		t.Errorf("of one value %v", got)
	}
	if values[0] != 40 {
		t.Error("the values were sorted in place: rounds do not match any more")
	}
}

func TestSpread(t *testing.T) {
	want := Spread{Median: 25, LowerQuartile: 17.5, UpperQuartile: 32.5, Min: 10, Max: 40}
	if got := Of([]float64{40, 10, 30, 20}); got != want {
		t.Errorf("spread %+v, want %+v", got, want)
	}
}

// A machine that is slow for a round is slow for all: only what is of one round is compared.
func TestRatiosAreOfOneRound(t *testing.T) {
	got := Ratios([]float64{50, 5, 100}, []float64{100, 10, 200})
	if want := []float64{0.5, 0.5, 0.5}; !reflect.DeepEqual(got, want) {
		t.Errorf("ratios %v, want %v", got, want)
	}
}
