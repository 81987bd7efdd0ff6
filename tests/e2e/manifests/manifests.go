// Package manifests reads and installs what the modules of others bring for Kubernetes beside their
// programs: custom resources and webhooks. build.sh puts it into .cache/frameworks.
package manifests

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/client-go/dynamic"

	"berth.dev/berth/tests/e2e/box"
)

const establishTimeout = time.Minute

// Definitions are CustomResourceDefinitions.
var Definitions = schema.GroupVersionResource{Group: "apiextensions.k8s.io", Version: "v1",
	Resource: "customresourcedefinitions"}

// Of are the objects that come with a program.
func Of(program string) ([]*unstructured.Unstructured, error) {
	apiServer, err := box.Program("kube-apiserver") // beside which they are
	if err != nil {
		return nil, err
	}
	folder := filepath.Join(filepath.Dir(apiServer), "..", "frameworks", program)
	files, err := filepath.Glob(filepath.Join(folder, "*.yaml"))
	if err == nil && len(files) == 0 {
		err = fmt.Errorf("%s is empty: run tests/e2e/build/build.sh %s", folder, program)
	}
	var all []*unstructured.Unstructured
	for _, file := range files {
		var objects []*unstructured.Unstructured
		if objects, err = Read(file); err != nil {
			break
		}
		all = append(all, objects...)
	}
	return all, err
}

// Read reads a file of YAML documents.
func Read(file string) ([]*unstructured.Unstructured, error) {
	content, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var objects []*unstructured.Unstructured
	documents := yaml.NewYAMLOrJSONDecoder(bytes.NewReader(content), len(content))
	for {
		object := &unstructured.Unstructured{}
		if err := documents.Decode(&object.Object); errors.Is(err, io.EOF) {
			return objects, nil
		} else if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		if len(object.Object) > 0 {
			objects = append(objects, object)
		}
	}
}

// ResourceOf guesses the resource from the kind, as its plural.
func ResourceOf(object *unstructured.Unstructured) schema.GroupVersionResource {
	resource, _ := meta.UnsafeGuessKindToResource(object.GroupVersionKind())
	return resource
}

// At is a field of an object: a map, a list, or a scalar; nil if there is none.
func At(object *unstructured.Unstructured, fields ...string) any {
	value, _, _ := unstructured.NestedFieldNoCopy(object.Object, fields...)
	return value
}

// HasCondition tells whether status.conditions has one of the type that is True.
func HasCondition(object *unstructured.Unstructured, wanted string) bool {
	conditions, _ := At(object, "status", "conditions").([]any)
	for _, condition := range conditions {
		fields, _ := condition.(map[string]any)
		if fields["type"] == wanted && fields["status"] == "True" {
			return true
		}
	}
	return false
}

// Reach is the clientConfig of a webhook at a URL, whose certificate an authority (PEM) has signed.
func Reach(url string, authority []byte) map[string]any {
	return map[string]any{"url": url, "caBundle": base64.StdEncoding.EncodeToString(authority)}
}

// Convert has a webhook convert between the versions of a CustomResourceDefinition.
func Convert(definition *unstructured.Unstructured, clientConfig map[string]any) error {
	conversion := map[string]any{"strategy": "Webhook", "webhook": map[string]any{
		"conversionReviewVersions": []any{"v1"}, "clientConfig": clientConfig}}
	return unstructured.SetNestedMap(definition.Object, conversion, "spec", "conversion")
}

// Establish creates a CustomResourceDefinition, and returns when kube-apiserver knows the resource.
func Establish(
	ctx context.Context, client dynamic.Interface, definition *unstructured.Unstructured,
) error {
	name := definition.GetName()
	definitions := client.Resource(Definitions)
	if _, err := definitions.Create(ctx, definition, metav1.CreateOptions{}); err != nil {
		return fmt.Errorf("create %s: %w", name, err)
	}
	return box.Poll(ctx, establishTimeout, name+" to be established",
		func(ctx context.Context) (bool, error) {
			got, err := definitions.Get(ctx, name, metav1.GetOptions{})
			return err == nil && HasCondition(got, "Established"), nil
		})
}
