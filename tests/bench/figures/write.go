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
	f.AddJSONFlag(flag.CommandLine, name)
	flag.StringVar(&f.Picture, "plot", "docs/benchmarks/"+name+".svg",
		"SVG file, from the repository's root")
}

// AddJSONFlag has the user of a measurement without a picture say where its figures go.
func (f *Files) AddJSONFlag(flags *flag.FlagSet, name string) {
	flags.StringVar(&f.JSON, "json", "docs/benchmarks/"+name+".json",
		"file for the figures, from the repository's root")
}

// Write writes a report and what draws it.
func (f Files) Write(report any, draw func(io.Writer) error) error {
	if err := f.WriteJSON(report); err != nil {
		return err
	}
	return box.WriteFile(f.Picture, draw)
}

// WriteJSON writes a report of which there is no picture.
func (f Files) WriteJSON(report any) error {
	return box.WriteFile(f.JSON, func(file io.Writer) error {
		encoder := json.NewEncoder(file)
		encoder.SetIndent("", "  ")
		return encoder.Encode(report)
	})
}
