package main

import (
	"fmt"
	"io"

	"berth.dev/berth/tests/e2e/plot"
)

// colours of the ways, in their order.
var colours = []string{"#6d597a", "#588157", "#1f6f8b", "#c8553d"}

// draw shows every run: pods a second of each load, then all ratios.
func (r report) draw(out io.Writer) error {
	var panels []plot.Panel
	ratios := plot.Rows{Title: "ratio of pods/s, round by round", Mark: 1}
	for _, l := range r.Loads {
		rows := plot.Rows{Title: "pods/s: " + l.String()}
		for i, w := range l.Ways {
			colour := colours[i%len(colours)]
			rows.Rows = append(rows.Rows, plot.Row{Name: w.Way, Colour: colour, Values: rates(w.Runs)})
			for _, ratio := range w.Ratios {
				ratios.Rows = append(ratios.Rows, plot.Row{Colour: colour, Values: ratio.Each,
					Name: fmt.Sprintf("%s, %s : %s", l.Name, w.Way, ratio.To)})
			}
		}
		panels = append(panels, rows)
	}
	if len(ratios.Rows) > 0 {
		panels = append(panels, ratios)
	}
	caption := fmt.Sprintf("%s nodes; %d CPUs for all, %s", join(r.Nodes), r.Machine.CPUs,
		r.Machine.Versions["kube-scheduler"])
	return plot.Draw(out, caption, panels...)
}
