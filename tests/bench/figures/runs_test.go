package figures

import "testing"

func TestRuns(t *testing.T) {
	runs := Runs[int]{4, 1, 3}
	twice := func(i int) float64 { return 2 * float64(i) }
	if got := runs.Median("%.1f", twice); got != "6.0" {
		t.Errorf("median %s", got)
	}
	if got := runs.Cells("%.0f", twice); got != "**6** | 4 to 7 | 2 to 8" {
		t.Errorf("cells %s", got)
	}
	if got := runs.Sum(func(i int) int { return i }); got != 8 {
		t.Errorf("sum %d", got)
	}
	if got := runs.RatioTo(Runs[int]{1, 1, 1}, twice); got != "3.00" {
		t.Errorf("ratio %s", got)
	}
	if got := runs.RatioTo(Runs[int]{1}, twice); got != "-" {
		t.Errorf("ratio %s, although rounds are missing", got)
	}
}
