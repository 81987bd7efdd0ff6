package plot

import (
	"fmt"
	"strings"
)

const (
	linesHeight = 150
	nameIndent  = 96 // of the curves' names, behind the title
	nameWidth   = 40
)

// Lines are curves over an axis that panels share.
type Lines struct {
	Title  string  // with the unit
	End    float64 // of the axis
	Curves []Curve
}

// Curve is one line.
type Curve struct {
	Name   string // beside the title; empty: none
	Colour string
	Points []Point
}

// Point is a place in a panel, in the units of its axes.
type Point struct{ X, Y float64 }

func (l Lines) height() int { return titleHeight + linesHeight }

func (l Lines) draw(svg *strings.Builder, top int) {
	top += titleHeight
	write(svg, marginLeft, float64(top-8), `font-weight="bold"`, l.Title)
	highest := l.highest()
	for i := range tickCount + 1 {
		y := vertical(top, tick(i, highest), highest)
		fmt.Fprintf(svg, `<path d="M%d %.1fH%d" stroke="#ddd"/>`, marginLeft, y, width-marginRight)
		write(svg, marginLeft-8, y+4, `text-anchor="end"`, label(tick(i, highest)))
	}
	for i, c := range l.Curves {
		var points []string
		for _, p := range c.Points {
			points = append(points, fmt.Sprintf("%.1f,%.1f", horizontal(marginLeft, p.X, l.End),
				vertical(top, p.Y, highest)))
		}
		fmt.Fprintf(svg, `<polyline fill="none" stroke="%s" stroke-width="1.5" points="%s"/>`+"\n",
			c.Colour, strings.Join(points, " "))
		if c.Name != "" {
			write(svg, float64(marginLeft+nameIndent+nameWidth*i), float64(top-8),
				fmt.Sprintf(`fill="%s"`, c.Colour), c.Name)
		}
	}
}

func (l Lines) highest() float64 {
	highest := 0.0
	for _, c := range l.Curves {
		for _, p := range c.Points {
			highest = max(highest, p.Y)
		}
	}
	return Ceiling(highest)
}

func vertical(top int, value, highest float64) float64 {
	return float64(top) + linesHeight*(1-value/highest)
}

// Axis is the axis below the Lines that share it.
type Axis struct {
	Title string // the unit
	End   float64
}

func (a Axis) height() int { return axisHeight }

func (a Axis) draw(svg *strings.Builder, top int) {
	for i := range tickCount + 1 {
		write(svg, horizontal(marginLeft, tick(i, a.End), a.End), float64(top+16),
			`text-anchor="middle"`, label(tick(i, a.End)))
	}
	write(svg, marginLeft, float64(top+32), "", a.Title) // beside the caption
}
