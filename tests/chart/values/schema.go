// Package values makes the JSON Schema of the chart's values.
package values

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"

	"sigs.k8s.io/yaml"

	"berth.dev/berth/tests/e2e/box"
)

const source = "charts/berth/schema/values.yaml"

type schema = map[string]any

// Schema is what charts/berth/values.schema.json has to be.
func Schema() ([]byte, error) {
	chart, err := ofChart()
	if err != nil {
		return nil, err
	}
	config, err := ofConfiguration()
	if err != nil {
		return nil, err
	}
	field(chart, "admission")["frameworks"] = field(config, "admission")["frameworks"]
	chart["properties"].(schema)["config"] = asValue(config)
	text, err := json.MarshalIndent(chart, "", "  ")
	return append(text, '\n'), err
}

// field has the schemas of the fields of a block.
func field(of schema, block string) schema {
	return of["properties"].(schema)[block].(schema)["properties"].(schema)
}

func ofChart() (schema, error) {
	root, err := box.RepoRoot()
	if err != nil {
		return nil, err
	}
	text, err := os.ReadFile(filepath.Join(root, source))
	if err != nil {
		return nil, err
	}
	var chart schema
	if err := yaml.UnmarshalStrict(text, &chart); err != nil {
		return nil, fmt.Errorf("%s: %w", source, err)
	}
	return chart, nil
}

func ofConfiguration() (schema, error) {
	berth, err := box.BerthBinary()
	if err != nil {
		return nil, err
	}
	text, err := exec.Command(berth, "config", "schema").Output()
	if err != nil {
		return nil, fmt.Errorf("berth config schema: %w", err)
	}
	var config schema
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber() // 1073741824 is not to become 1.073741824e+09
	return config, decoder.Decode(&config)
}

// asValue makes the schema of a file that of a part of one, as Helm hands it over.
func asValue(config schema) schema {
	delete(config, "$schema")
	delete(config, "title")
	delete(config, "required") // apiVersion and kind are the chart's to write
	config["description"] = "Berth's configuration, merged over the chart's own."
	takeOffAsFalse(config)
	return config
}

// takeOffAsFalse lets words that may be Off be false, too: that is what Helm's YAML 1.1 makes of Off
// without quotes. The chart makes it Off again.
func takeOffAsFalse(node any) {
	switch node := node.(type) {
	case schema:
		if words, ok := node["enum"].([]any); ok && slices.Contains(words, any("Off")) {
			node["enum"] = append(words, false)
		}
		for _, child := range node {
			takeOffAsFalse(child)
		}
	case []any:
		for _, child := range node {
			takeOffAsFalse(child)
		}
	}
}
