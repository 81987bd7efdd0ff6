package plot

import (
	"fmt"
	"strings"

	"berth.dev/berth/tests/e2e/spread"
)

const (
	rowHeight = 24
	rowsLeft  = 240 // where the axis begins, behind the rows' names
	boxHeight = 12
)

// Rows compare values that were measured several times, over one axis from 0: every value as a dot,
// the quartiles as a box, the median as a line in it.
type Rows struct {
	Title string // with the unit
	Rows  []Row
	Mark  float64 // a value to compare with, drawn as a dashed line; 0: none
}

// Row are the values of one kind, at least one.
type Row struct {
	Name   string
	Colour string
	Values []float64
}

func (r Rows) height() int { return titleHeight + rowHeight*len(r.Rows) + axisHeight }

func (r Rows) draw(svg *strings.Builder, top int) {
	top += titleHeight
	bottom := top + rowHeight*len(r.Rows)
	write(svg, 16, float64(top-8), `font-weight="bold"`, r.Title)
	end := r.end()
	for i := range tickCount + 1 {
		x := horizontal(rowsLeft, tick(i, end), end)
		fmt.Fprintf(svg, `<path d="M%.1f %dV%d" stroke="#ddd"/>`, x, top, bottom)
		write(svg, x, float64(bottom+16), `text-anchor="middle"`, label(tick(i, end)))
	}
	if r.Mark != 0 {
		fmt.Fprintf(svg, `<path d="M%.1f %dV%d" stroke="#333" stroke-dasharray="3"/>`+"\n",
			horizontal(rowsLeft, r.Mark, end), top, bottom)
	}
	for i, row := range r.Rows {
		row.draw(svg, float64(top+rowHeight*i+rowHeight/2), end)
	}
}

// end is where the axis ends.
func (r Rows) end() float64 {
	greatest := r.Mark
	for _, row := range r.Rows {
		greatest = max(greatest, spread.Of(row.Values).Max)
	}
	return Ceiling(greatest)
}

// draw draws the row around y.
func (r Row) draw(svg *strings.Builder, y, end float64) {
	write(svg, rowsLeft-8, y+4, `text-anchor="end"`, r.Name)
	at := func(value float64) float64 { return horizontal(rowsLeft, value, end) }
	of := spread.Of(r.Values)
	fmt.Fprintf(svg, `<rect x="%.1f" y="%.1f" width="%.1f" height="%d" fill="%s" `+
		`fill-opacity="0.25"/>`, at(of.LowerQuartile), y-boxHeight/2,
		at(of.UpperQuartile)-at(of.LowerQuartile), boxHeight, r.Colour)
	fmt.Fprintf(svg, `<path d="M%.1f %.1fv%d" stroke="%s" stroke-width="2"/>`, at(of.Median),
		y-boxHeight/2, boxHeight, r.Colour)
	for _, value := range r.Values {
		fmt.Fprintf(svg, `<circle cx="%.1f" cy="%.1f" r="2" fill="%s"/>`, at(value), y, r.Colour)
	}
	svg.WriteByte('\n')
}
