//go:build frameworks

package frameworks

import (
	"path/filepath"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"berth.dev/berth/tests/e2e/box"
	"berth.dev/berth/tests/e2e/manifests"
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
	objects, err := manifests.Read(file)
	if err != nil {
		t.Fatal(err)
	}
	return objects
}
