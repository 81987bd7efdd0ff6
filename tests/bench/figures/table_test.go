package figures

import (
	"testing"

	"berth.dev/berth/tests/e2e/spread"
)

func TestTableIsMarkdown(t *testing.T) {
	table := NewTable("load", "pods/s | "+SpreadColumns)
	table.Row("plain", Cells("%.1f", spread.Of([]float64{1, 2, 3, 4, 5})))
	want := "\n| load | pods/s | quartiles | min to max |\n|---|---|---|---|\n" +
		"| plain | **3.0** | 2.0 to 4.0 | 1.0 to 5.0 |\n"
	if table.String() != want {
		t.Errorf("%s\nwant\n%s", table, want)
	}
}
