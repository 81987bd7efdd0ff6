//go:build frameworks

package frameworks

import (
	"maps"
	"slices"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"berth.dev/berth/tests/e2e/box"
	"berth.dev/berth/tests/e2e/manifests"
)

// notForetold are kinds with templates that no profile has, and why.
var notForetold = map[string]string{
	"ClusterTrainingRuntime": "it belongs to no namespace, so no mode applies to it",
	"TrainJob":               "it has patches of templates, which make no sense alone",
	"Workload":               "Kueue makes it of objects whose authors have been warned",
}

// Profiles have every template that the frameworks' own CRDs allow, and no path leads nowhere.
func TestProfilesHaveTheTemplatesOfTheCRDs(t *testing.T) {
	profiles, err := readProfiles(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"jobset", "kueue", "mpi-operator", "training-operator", "trainer",
		"kuberay", "lws"} {
		got := map[string][]string{}
		for _, spec := range profiles[name].Templates {
			path := spec.Path
			if spec.Of == "Jobs" {
				path += "/spec/template"
			}
			got[spec.Group+"/"+spec.Kind] = append(got[spec.Group+"/"+spec.Kind], path)
		}
		want := templatesOfCRDs(t, name, profiles[name])
		for _, kind := range slices.Sorted(maps.Keys(want)) {
			if slices.Sort(got[kind]); !slices.Equal(got[kind], want[kind]) {
				t.Errorf("%s: the templates of %s are at %q, want %q", name, kind, got[kind], want[kind])
			}
			delete(got, kind)
		}
		if len(got) > 0 {
			t.Errorf("%s has templates of kinds that there are not: %v", name, got)
		}
	}
}

// templatesOfCRDs finds the templates in the CRDs of a framework, by group and kind, in the
// versions that the webhook is asked about.
func templatesOfCRDs(t *testing.T, framework string, of profile) map[string][]string {
	t.Helper()
	found := map[string][]string{}
	for _, crd := range (operator{program: framework}).manifests(box.Test{T: t}) {
		kind, _ := manifests.At(crd, "spec", "names", "kind").(string)
		if crd.GetKind() != "CustomResourceDefinition" || notForetold[kind] != "" {
			continue
		}
		group := manifests.At(crd, "spec", "group").(string)
		for _, each := range manifests.At(crd, "spec", "versions").([]any) {
			version := each.(map[string]any)
			schema, _, _ := unstructured.NestedMap(version, "schema", "openAPIV3Schema")
			paths := slices.Sorted(slices.Values(templatesIn(schema, "")))
			if len(paths) == 0 {
				continue
			}
			if of.covers(group, version["name"].(string), manifests.At(crd, "spec", "names", "plural").(string)) {
				found[group+"/"+kind] = paths
			}
		}
		if _, is := found[group+"/"+kind]; !is && hasTemplates(crd) {
			t.Errorf("no rule of %s covers %s", framework, kind)
		}
	}
	return found
}

func hasTemplates(crd *unstructured.Unstructured) bool {
	return slices.ContainsFunc(manifests.At(crd, "spec", "versions").([]any), func(version any) bool {
		schema, _, _ := unstructured.NestedMap(version.(map[string]any), "schema", "openAPIV3Schema")
		return len(templatesIn(schema, "")) > 0
	})
}

func (p profile) covers(group, version, resource string) bool {
	for _, rule := range p.Rules {
		if slices.Contains(rule.APIGroups, group) && slices.Contains(rule.APIVersions, version) &&
			slices.Contains(rule.Resources, resource) {
			return true
		}
	}
	return false
}

// templatesIn are the paths of a schema that lead to something with a list of containers in its spec.
func templatesIn(schema map[string]any, path string) []string {
	_, is, _ := unstructured.NestedFieldNoCopy(schema, "properties", "spec", "properties", "containers")
	if is {
		return []string{path}
	}
	var found []string
	properties, _ := schema["properties"].(map[string]any)
	for name, property := range properties {
		found = append(found, templatesIn(property.(map[string]any), path+"/"+name)...)
	}
	for _, many := range []string{"items", "additionalProperties"} {
		if each, is := schema[many].(map[string]any); is {
			found = append(found, templatesIn(each, path+"/*")...)
		}
	}
	return found
}
