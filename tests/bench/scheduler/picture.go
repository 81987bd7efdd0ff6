package main

import (
	"fmt"
	"io"

	"berth.dev/berth/tests/e2e/plot"
)

// colours of the ways, in their order.
var colours = []string{"#6d597a", "#1f6f8b", "#c8553d", "#588157"}

// draw shows every run: pods a second of each load, then all ratios.
func (r report) draw(out io.Writer) error {
	var panels []plot.Panel
	ratios := plot.Rows{Title: "ratio to the first way, round by round", Mark: 1}
	for _, l := range r.Loads {
		rows := plot.Rows{Title: fmt.Sprintf("pods/s: %s, %d pods", l.Title, l.Pods)}
		for i, w := range l.Ways {
			colour := colours[i%len(colours)]
			rows.Rows = append(rows.Rows, plot.Row{Name: w.Way, Colour: colour, Values: rates(w.Runs)})
			if w.Ratio != nil {
				ratios.Rows = append(ratios.Rows, plot.Row{
					Name:   fmt.Sprintf("%s, %s : %s", l.Name, w.Way, l.Ways[0].Way),
					Colour: colour, Values: w.Ratios})
			}
		}
		panels = append(panels, rows)
	}
	if len(ratios.Rows) > 0 {
		panels = append(panels, ratios)
	}
	caption := fmt.Sprintf("%d nodes; %d CPUs for all, %s", r.Nodes, r.Machine.CPUs,
		r.Machine.Versions["kube-scheduler"])
	return plot.Draw(out, caption, panels...)
}
