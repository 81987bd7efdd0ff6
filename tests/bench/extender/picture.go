package main

import (
	"fmt"
	"io"

	"berth.dev/berth/tests/e2e/plot"
)

// colours of who answers, and of p50 and p99.
var (
	colourOf   = map[string]string{"Berth": "#1f6f8b", "Go echo": "#c8553d"}
	curveNames = []string{"p50", "p99"}
	colours    = []string{"#1f6f8b", "#c8553d"}
)

// draw shows every round, every change, and what grows with the number of nodes.
func (r report) draw(out io.Writer) error {
	panels := append(r.answerPanels(), r.changePanels()...)
	panels = append(panels, r.sizePanels()...)
	caption := fmt.Sprintf("%d nodes; %d CPUs for all, %s", r.Nodes, r.Machine.CPUs,
		r.Machine.Versions["berth"])
	return plot.Draw(out, caption, panels...)
}

// answerPanels are Berth's own time, then what callers see; p50 and p99 have axes of their own.
func (r report) answerPanels() []plot.Panel {
	var panels []plot.Panel
	for _, view := range views {
		for i, f := range []figure[round]{view.p50, view.p99} {
			rows := plot.Rows{Title: fmt.Sprintf("%s: %s of rounds, ms", view.title, curveNames[i])}
			for _, a := range r.Answers {
				if f.known(a.Rounds) {
					rows.Rows = append(rows.Rows,
						plot.Row{Name: a.label(), Colour: colourOf[a.Who], Values: f.of(a.Rounds)})
				}
			}
			if len(rows.Rows) > 0 {
				panels = append(panels, rows)
			}
		}
	}
	return panels
}

// labels are short for how answers are asked for.
var labels = map[string]string{backToBack: "warm", newShapes: "new shapes",
	allLooking[0].how: "every node, in situ", allLooking[1].how: "sample, in situ"}

func (a answers) label() string {
	label := a.Verb + ", " + labels[a.How]
	if a.Who != "Berth" {
		label = a.Who + ", " + label
	}
	return label
}

func (r report) changePanels() []plot.Panel {
	if len(r.Changes) == 0 {
		return nil
	}
	rows := plot.Rows{Title: "from the patch of a node's condition, ms"}
	for i, f := range changeFigures[:2] {
		rows.Rows = append(rows.Rows, plot.Row{Name: f.title, Colour: colours[1-i],
			Values: f.of(r.Changes)})
	}
	return []plot.Panel{rows}
}

func (r report) sizePanels() []plot.Panel {
	if len(r.Sizes) == 0 {
		return nil
	}
	end := plot.Ceiling(float64(r.Sizes[len(r.Sizes)-1].Nodes))
	times := plot.Lines{Title: "filter, ms", End: end}
	for i, f := range roundFigures[2:] {
		times.Curves = append(times.Curves, r.curve(curveNames[i], colours[i],
			func(s sized) float64 { return f.median(s.Filter.Rounds) }))
	}
	memory := plot.Lines{Title: "resident, MiB", End: end, Curves: []plot.Curve{
		r.curve("", colours[0], func(s sized) float64 { return s.AskedResidentMiB })}}
	return []plot.Panel{times, memory,
		plot.Axis{Title: "nodes, all asked about; as the caller sees it", End: end}}
}

func (r report) curve(name, colour string, value func(sized) float64) plot.Curve {
	c := plot.Curve{Name: name, Colour: colour}
	for _, s := range r.Sizes {
		c.Points = append(c.Points, plot.Point{X: float64(s.Nodes), Y: value(s)})
	}
	return c
}
