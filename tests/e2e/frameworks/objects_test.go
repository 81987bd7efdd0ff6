//go:build frameworks

package frameworks

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/yaml"

	"berth.dev/berth/tests/e2e/box"
)

// example has the objects of a framework's smallest example of several pods.
func example(t *testing.T, framework string) []*unstructured.Unstructured {
	t.Helper()
	root, err := box.RepoRoot()
	if err != nil {
		t.Fatal(err)
	}
	return objectsIn(t, filepath.Join(root, "tests", "golden", "frameworks", framework+".yaml"))
}

// objectsIn reads a file of YAML documents.
func objectsIn(t *testing.T, file string) []*unstructured.Unstructured {
	t.Helper()
	content, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var objects []*unstructured.Unstructured
	documents := yaml.NewYAMLOrJSONDecoder(bytes.NewReader(content), len(content))
	for {
		object := &unstructured.Unstructured{}
		if err := documents.Decode(&object.Object); errors.Is(err, io.EOF) {
			return objects
		} else if err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		if len(object.Object) > 0 {
			objects = append(objects, object)
		}
	}
}

// resourceOf guesses it from the kind, as its plural.
func resourceOf(object *unstructured.Unstructured) schema.GroupVersionResource {
	resource, _ := meta.UnsafeGuessKindToResource(object.GroupVersionKind())
	return resource
}

// at is a field of an object: a map, a list, or a scalar; nil if there is none.
func at(object *unstructured.Unstructured, fields ...string) any {
	value, _, _ := unstructured.NestedFieldNoCopy(object.Object, fields...)
	return value
}

// hasCondition tells whether status.conditions has one of the type that is True.
func hasCondition(object *unstructured.Unstructured, wanted string) bool {
	conditions, _ := at(object, "status", "conditions").([]any)
	for _, condition := range conditions {
		fields, _ := condition.(map[string]any)
		if fields["type"] == wanted && fields["status"] == "True" {
			return true
		}
	}
	return false
}
