package main

import (
	"fmt"
	"io"
	"math"
	"strings"
)

// Sizes of the picture in its own units.
const (
	width        = 720
	panelHeight  = 150
	marginLeft   = 64
	marginRight  = 16
	marginTop    = 28
	marginBottom = 40
	tickCount    = 4
	nameIndent   = 96 // of the curves' names, behind the title
	nameWidth    = 40
)

// curve is one line of a panel.
type curve struct {
	name   string
	colour string
	value  func(sample) float64
}

// panel is a diagram over time; panels stand below each other and share their time axis.
type panel struct {
	title  string // with the unit
	curves []curve
}

var panels = []panel{
	{"resident memory, MiB", []curve{{"", "#1f6f8b", mib}}},
	{"filter, ms", []curve{
		{"p99", "#c8553d", func(s sample) float64 { return s.FilterP99Milliseconds }},
		{"p50", "#588157", func(s sample) float64 { return s.FilterP50Milliseconds }},
	}},
	{"pods, running", []curve{{"", "#6d597a", func(s sample) float64 { return float64(s.Pods) }}}},
}

// plot draws the samples as SVG.
func plot(out io.Writer, samples []sample, caption string) error {
	var svg strings.Builder
	height := len(panels)*(panelHeight+marginTop) + marginBottom
	fmt.Fprintf(&svg, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" `+
		`font-family="sans-serif" font-size="12" fill="#333">`+"\n", width, height)
	fmt.Fprintf(&svg, `<rect width="%d" height="%d" fill="#fff"/>`+"\n", width, height)
	end := niceCeiling(samples[len(samples)-1].Seconds / 60)
	for i, p := range panels {
		p.draw(&svg, samples, i*(panelHeight+marginTop)+marginTop, end)
	}
	drawTime(&svg, len(panels)*(panelHeight+marginTop), end)
	fmt.Fprintf(&svg, `<text x="%d" y="%d" text-anchor="end">%s</text>`+"\n", width-marginRight,
		height-8, caption)
	svg.WriteString("</svg>\n")
	_, err := io.WriteString(out, svg.String())
	return err
}

// draw draws the panel with its upper edge at top; end is the last minute of the time axis.
func (p panel) draw(svg *strings.Builder, samples []sample, top int, end float64) {
	highest := 0.0
	for _, c := range p.curves {
		for _, s := range samples {
			highest = max(highest, c.value(s))
		}
	}
	highest = niceCeiling(highest)
	fmt.Fprintf(svg, `<text x="%d" y="%d" font-weight="bold">%s</text>`+"\n", marginLeft, top-8, p.title)
	for i := range tickCount + 1 {
		value := highest * float64(i) / tickCount
		y := vertical(top, value, highest)
		fmt.Fprintf(svg, `<path d="M%d %.1fH%d" stroke="#ddd"/>`, marginLeft, y, width-marginRight)
		fmt.Fprintf(svg, `<text x="%d" y="%.1f" text-anchor="end">%.4g</text>`+"\n", marginLeft-8,
			y+4, value)
	}
	for i, c := range p.curves {
		var points []string
		for _, s := range samples {
			points = append(points, fmt.Sprintf("%.1f,%.1f", horizontal(s.Seconds/60, end),
				vertical(top, c.value(s), highest)))
		}
		fmt.Fprintf(svg, `<polyline fill="none" stroke="%s" stroke-width="1.5" points="%s"/>`+"\n",
			c.colour, strings.Join(points, " "))
		if c.name != "" {
			fmt.Fprintf(svg, `<text x="%d" y="%d" fill="%s">%s</text>`+"\n",
				marginLeft+nameIndent+nameWidth*i, top-8, c.colour, c.name)
		}
	}
}

func drawTime(svg *strings.Builder, y int, end float64) {
	for i := range tickCount + 1 {
		minute := end * float64(i) / tickCount
		fmt.Fprintf(svg, `<text x="%.1f" y="%d" text-anchor="middle">%.4g</text>`+"\n",
			horizontal(minute, end), y+16, minute)
	}
	fmt.Fprintf(svg, `<text x="%d" y="%d">minutes</text>`+"\n", marginLeft, y+32)
}

func horizontal(minute, end float64) float64 {
	return marginLeft + (width-marginLeft-marginRight)*minute/end
}

func vertical(top int, value, highest float64) float64 {
	return float64(top) + panelHeight*(1-value/highest)
}

// niceCeiling is the least of 1, 2, 4, 6 and 8 times a power of ten that is not below the value.
func niceCeiling(value float64) float64 {
	if value <= 0 {
		return 1
	}
	power := math.Pow(10, math.Floor(math.Log10(value)))
	for _, factor := range []float64{1, 2, 4, 6, 8} {
		if factor*power >= value {
			return factor * power
		}
	}
	return 10 * power
}
