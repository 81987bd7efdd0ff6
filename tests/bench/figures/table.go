package figures

import (
	"fmt"
	"strings"

	"berth.dev/berth/tests/e2e/spread"
)

// SpreadColumns are the titles of Cells.
const SpreadColumns = "quartiles | min to max"

// Cells are three columns of a table in Markdown, without the outer bars: the median, the quartiles
// and the ends.
func Cells(format string, s spread.Spread) string {
	between := format + " to " + format
	return strings.Join([]string{"**" + fmt.Sprintf(format, s.Median) + "**",
		fmt.Sprintf(between, s.LowerQuartile, s.UpperQuartile), fmt.Sprintf(between, s.Min, s.Max)},
		" | ")
}

// Table writes a table in Markdown; a title or a cell may stand for several columns that bars
// separate.
type Table struct {
	text strings.Builder
}

// NewTable begins one, after an empty line.
func NewTable(titles ...string) *Table {
	t := &Table{}
	t.text.WriteByte('\n')
	t.Row(titles...)
	columns := strings.Count(strings.Join(titles, " | "), "|") + 1
	fmt.Fprintf(&t.text, "|%s\n", strings.Repeat("---|", columns))
	return t
}

// Row adds a row.
func (t *Table) Row(cells ...string) {
	fmt.Fprintf(&t.text, "| %s |\n", strings.Join(cells, " | "))
}

func (t *Table) String() string { return t.text.String() }
