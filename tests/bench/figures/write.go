package figures

import (
	"encoding/json"
	"flag"
	"io"

	"berth.dev/berth/tests/e2e/box"
)

// Files are where a measurement's figures go, as box.WriteFile takes paths.
type Files struct {
	JSON    string
	Picture string // SVG
}

// AddFlags has the user say where they go. By default that is beside the page about benchmarks.
func (f *Files) AddFlags(name string) {
	flag.StringVar(&f.JSON, "json", "docs/benchmarks/"+name+".json",
		"file for the figures, from the repository's root")
	flag.StringVar(&f.Picture, "plot", "docs/benchmarks/"+name+".svg",
		"SVG file, from the repository's root")
}

// Write writes a report and what draws it.
func (f Files) Write(report any, draw func(io.Writer) error) error {
	err := box.WriteFile(f.JSON, func(file io.Writer) error {
		encoder := json.NewEncoder(file)
		encoder.SetIndent("", "  ")
		return encoder.Encode(report)
	})
	if err != nil {
		return err
	}
	return box.WriteFile(f.Picture, draw)
}
