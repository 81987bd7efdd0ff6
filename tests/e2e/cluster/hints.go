package main

import (
	"fmt"
	"io"
	"text/tabwriter"
	"time"
)

// sights are what the hints name.
type sights struct {
	entrance   string    // script
	waiting    string    // pod that fits nowhere
	boardURL   string    // "" without Berth's program, and then none of its commands is named
	prometheus string    // its URL
	idleFrom   time.Time // from when on devices are known to be idle
}

// writeHints names what to look at, each with what it shows, and at last how to get a shell.
func writeHints(out io.Writer, s sights) {
	hints := [][2]string{{"kubectl get pods -A -o wide", "all pods"}}
	if s.boardURL != "" {
		fmt.Fprintf(out, "To see nodes, devices and what waits, open %s in a browser on this machine "+
			"(from another one: docs/board.md).\n", s.boardURL)
		idle := fmt.Sprintf("kubectl berth idle --prometheus %s --window %.0fm", s.prometheus,
			idleWindow.Minutes())
		// The time is cut to whole seconds.
		from := s.idleFrom.Add(time.Second).Format(time.TimeOnly)
		hints = append(hints, [][2]string{
			{"kubectl berth explain -n " + namespace + " " + s.waiting, "why this pod waits"},
			{"kubectl berth capacity", "which devices are free, and which are broken"},
			{"kubectl berth who", "who holds devices"},
			{idle, "who does not use them: known from " + from + " on"},
			{"kubectl berth gangs -A", "which pods wait for each other: none yet"},
			{"kubectl berth report", "what would change if all namespaces enforced"},
			{"berth doctor", "whether all of it works"},
		}...)
	}
	fmt.Fprintln(out, "From another terminal, as root:")
	table := tabwriter.NewWriter(out, 0, 0, 3, ' ', 0)
	for _, hint := range hints {
		fmt.Fprintf(table, "  %s %s\t# %s\n", s.entrance, hint[0], hint[1])
	}
	_ = table.Flush() // to a terminal, or to a test
	fmt.Fprintln(out, "  "+s.entrance)
}
