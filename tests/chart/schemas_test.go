package chart

import (
	"cmp"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// openAPI is a kube-apiserver's description of what it takes: /openapi/v2.
type openAPI struct {
	Definitions map[string]map[string]any
}

// kind is what x-kubernetes-group-version-kind says of a definition.
type kind struct{ Group, Version, Kind string }

// writeSchemas writes a JSON Schema for every kind into a folder, named as kubeconform looks for them.
// They are strict: what the API server does not know, and would drop, is an error.
func writeSchemas(t *testing.T, description []byte, folder string) {
	t.Helper()
	var api openAPI
	if err := json.Unmarshal(description, &api); err != nil {
		t.Fatal(err)
	}
	for name, definition := range api.Definitions {
		for _, k := range kindsOf(t, definition) {
			group := cmp.Or(k.Group, k.Version) // kubeconform's name for the core group
			file := strings.ToLower(strings.Join([]string{k.Kind, group, k.Version}, "-")) + ".json"
			write(t, filepath.Join(folder, file), api.schemaOf(name))
		}
	}
}

const definitions = "#/definitions/"

// schemaOf has what a definition refers to, and no more: kubeconform compiles all of it.
func (api openAPI) schemaOf(name string) map[string]any {
	parts := map[string]any{}
	var add func(string)
	add = func(name string) {
		if parts[name] != nil {
			return
		}
		parts[name] = strict(name, api.Definitions[name])
		for _, reference := range references(api.Definitions[name]) {
			add(strings.TrimPrefix(reference, definitions))
		}
	}
	add(name)
	return map[string]any{"$ref": definitions + name, "definitions": parts}
}

func references(node any) []string {
	var found []string
	switch node := node.(type) {
	case map[string]any:
		if reference, ok := node["$ref"].(string); ok {
			found = append(found, reference)
		}
		for _, child := range node {
			found = append(found, references(child)...)
		}
	case []any:
		for _, child := range node {
			found = append(found, references(child)...)
		}
	}
	return found
}

func write(t *testing.T, file string, value any) {
	t.Helper()
	text, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, text, 0o600); err != nil {
		t.Fatal(err)
	}
}

func kindsOf(t *testing.T, definition map[string]any) []kind {
	t.Helper()
	text, err := json.Marshal(definition["x-kubernetes-group-version-kind"])
	if err != nil {
		t.Fatal(err)
	}
	var kinds []kind
	if err := json.Unmarshal(text, &kinds); err != nil {
		t.Fatal(err)
	}
	return kinds
}

// strict makes a definition of OpenAPI a JSON Schema that knows no other fields.
func strict(name string, definition map[string]any) map[string]any {
	switch {
	case strings.HasSuffix(name, ".resource.Quantity"), strings.HasSuffix(name, ".intstr.IntOrString"):
		return map[string]any{"type": []string{"string", "number"}}
	case definition["properties"] != nil:
		definition["additionalProperties"] = false
	}
	return definition
}
