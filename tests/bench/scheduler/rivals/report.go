package rivals

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"berth.dev/berth/tests/bench/figures"
	"berth.dev/berth/tests/e2e/box"
)

// outcome is what a turn measured. What is held or reserved is in devices times seconds.
type outcome struct {
	Seconds       float64 `json:"seconds"`        // from the first creation to the end
	Created       float64 `json:"createdSeconds"` // from the first creation to the last
	PodsPerSecond float64 `json:"podsPerSecond,omitempty"`
	Ran           int     `json:"ran"`             // gangs
	Held          float64 `json:"heldSeconds"`     // by pods with a node whose gang was not whole
	Reserved      float64 `json:"reservedSeconds"` // for pods without a node
}

func (o outcome) String() string {
	return fmt.Sprintf("%d gangs ran after %.2f s (created in %.2f s, %.0f pods/s); %.0f GPU-seconds "+
		"held, %.0f reserved", o.Ran, o.Seconds, o.Created, o.PodsPerSecond, o.Held, o.Reserved)
}

// report is all that was measured.
type report struct {
	Machine figures.Machine   `json:"machine"`
	Rivals  map[string]string `json:"rivals"` // module and version, by program
	Length  string            `json:"length"`
	Seed    uint64            `json:"seed"`
	Scenes  []sceneReport     `json:"scenes"`
}

type sceneReport struct {
	Scene string      `json:"scene"`
	Title string      `json:"title"`
	Nodes int         `json:"nodes"`
	Gangs int         `json:"gangs"`
	Pods  int         `json:"pods"` // of each gang
	Ways  []wayReport `json:"ways"`
}

type wayReport struct {
	Way   string                `json:"way"`
	Title string                `json:"title"`
	Runs  figures.Runs[outcome] `json:"runs"`
}

func newReport(ctx context.Context, o options) (report, error) {
	m, err := figures.ThisMachineWith(ctx, programs)
	r := report{Machine: m, Rivals: map[string]string{}, Length: o.length.String(), Seed: o.seed}
	for _, c := range o.contenders {
		if c.helper != "" {
			var missing error
			r.Rivals[c.helper], missing = box.Release(c.helper)
			err = errors.Join(err, missing)
		}
	}
	for _, name := range o.scenes {
		s := allScenes[name]
		gangs := s.gangs(o, 0)
		entry := sceneReport{Scene: name, Title: s.title, Nodes: s.nodes(o), Gangs: len(gangs),
			Pods: len(gangs[0].pods)}
		for _, c := range o.contenders {
			entry.Ways = append(entry.Ways, wayReport{Way: c.name, Title: c.title})
		}
		r.Scenes = append(r.Scenes, entry)
	}
	return r, err
}

// print writes the figures as tables in Markdown.
func (r report) print(out io.Writer) error {
	var text strings.Builder
	fmt.Fprintf(&text, "%s\n", r.Machine)
	for _, program := range []string{schedulerPlugins, kueueProgram} {
		if release := r.Rivals[program]; release != "" {
			fmt.Fprintf(&text, "%s\n", release)
		}
	}
	for _, s := range r.Scenes {
		fmt.Fprintf(&text, "\n%s: %d nodes, %d gangs of %d pods\n", s.Title, s.Nodes, s.Gangs, s.Pods)
		if s.Scene == "one" {
			s.printOne(&text)
		} else {
			s.printContest(&text)
		}
	}
	_, err := io.WriteString(out, text.String())
	return err
}

func (s sceneReport) printOne(text *strings.Builder) {
	table := figures.NewTable("way", "rounds", "whole", "last binding s", figures.SpreadColumns, "pods/s",
		"created s", "GPU-seconds held", "to the first")
	for _, w := range s.Ways {
		if len(w.Runs) == 0 {
			continue
		}
		table.Row(w.Title, fmt.Sprint(len(w.Runs)),
			fmt.Sprint(w.Runs.Sum(func(o outcome) int { return o.Ran })), w.Runs.Cells("%.2f", seconds),
			w.Runs.Median("%.0f", func(o outcome) float64 { return o.PodsPerSecond }),
			w.Runs.Median("%.2f", func(o outcome) float64 { return o.Created }),
			w.Runs.Median("%.0f", held), w.Runs.RatioTo(s.Ways[0].Runs, seconds))
	}
	fmt.Fprint(text, table, "\nMedians of the rounds; ratios of times are of the same round. Where the gang "+
		"did not become whole, time was up.\n")
}

func (s sceneReport) printContest(text *strings.Builder) {
	table := figures.NewTable("way", "rounds", "gangs that ran", "until then s", figures.SpreadColumns,
		"GPU-seconds held", figures.SpreadColumns, "reserved")
	for _, w := range s.Ways {
		if len(w.Runs) > 0 {
			table.Row(w.Title, fmt.Sprint(len(w.Runs)),
				w.Runs.Median("%.0f", func(o outcome) float64 { return float64(o.Ran) }),
				w.Runs.Cells("%.1f", seconds),
				w.Runs.Cells("%.0f", held),
				w.Runs.Median("%.0f", func(o outcome) float64 { return o.Reserved }))
		}
	}
	fmt.Fprint(text, table, "\nMedians of the rounds. Where not all gangs ran, time was up.\n")
}

func seconds(o outcome) float64 { return o.Seconds }
func held(o outcome) float64    { return o.Held }
