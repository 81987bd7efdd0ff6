// Command schema writes charts/berth/values.schema.json to standard output: the schema of the
// chart's own values, and for the value config that of `berth config schema`.
package main

import (
	"fmt"
	"os"

	"berth.dev/berth/tests/chart/values"
)

func main() {
	schema, err := values.Schema()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Print(string(schema))
}
