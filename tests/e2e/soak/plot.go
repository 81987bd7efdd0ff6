package main

import (
	"io"

	"berth.dev/berth/tests/e2e/plot"
)

// curve is one line of a panel.
type curve struct {
	name   string
	colour string
	value  func(sample) float64
}

// panel is a diagram over time; panels share their time axis.
type panel struct {
	title  string // with the unit
	curves []curve
}

var panels = []panel{
	{"resident memory, MiB", []curve{{"", "#1f6f8b", sample.ResidentMiB}}},
	{"filter, ms", []curve{
		{"p99", "#c8553d", func(s sample) float64 { return s.FilterP99Milliseconds }},
		{"p50", "#588157", func(s sample) float64 { return s.FilterP50Milliseconds }},
	}},
	{"pods, running", []curve{{"", "#6d597a", func(s sample) float64 { return float64(s.Pods) }}}},
}

// draw draws the samples over time as SVG.
func draw(out io.Writer, samples []sample, caption string) error {
	end := plot.Ceiling(samples[len(samples)-1].Seconds / 60)
	var all []plot.Panel
	for _, p := range panels {
		all = append(all, p.lines(samples, end))
	}
	return plot.Draw(out, caption, append(all, plot.Axis{Title: "minutes", End: end})...)
}

func (p panel) lines(samples []sample, end float64) plot.Lines {
	lines := plot.Lines{Title: p.title, End: end}
	for _, c := range p.curves {
		drawn := plot.Curve{Name: c.name, Colour: c.colour}
		for _, s := range samples {
			drawn.Points = append(drawn.Points, plot.Point{X: s.Seconds / 60, Y: c.value(s)})
		}
		lines.Curves = append(lines.Curves, drawn)
	}
	return lines
}
