package install

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/metadata"
)

// An uninstalled Berth locks nobody out, leaves nothing, and can be installed again. Nodes keep
// Berth's label, because pods that run may select by it.
func TestUninstallLeavesNothing(t *testing.T) {
	w := release(t, nil)
	team := w.team("enforce")
	w.createJob(team, trainingJob("train"))
	w.running(team, "train")
	creates := w.createAnyway(team)
	creates.awaitMore(leastLoad)
	w.uninstall()
	creates.awaitMore(leastLoad)
	creates.expectNoFailure(2 * leastLoad)
	pod, err := w.try(team, carelessPod())
	w.check("try a pod", err)
	if pod.Status.QOSClass != corev1.PodQOSBestEffort {
		t.Errorf("somebody still makes pods %s", pod.Status.QOSClass)
	}
	w.awaitNone("objects of the release", w.leftovers)
	w.install(nil)
	w.createJob(team, trainingJob("again"))
	w.running(team, "again")
}

// leftovers are the objects of all kinds that have the release's name or labels.
func (w *world) leftovers() []string {
	w.Helper()
	client, err := metadata.NewForConfig(shared.Config)
	w.check("a client", err)
	var found []string
	for _, resource := range w.resources() {
		list, err := client.Resource(resource).List(w.Context(), metav1.ListOptions{})
		if apierrors.IsNotFound(err) || apierrors.IsMethodNotSupported(err) {
			continue
		}
		w.check("list "+resource.String(), err)
		for _, object := range list.Items {
			if isOurs(resource, &object) {
				found = append(found, resource.Resource+" "+object.Namespace+"/"+object.Name)
			}
		}
	}
	return found
}

// resources are all that can be listed.
func (w *world) resources() []schema.GroupVersionResource {
	w.Helper()
	lists, err := discovery.ServerPreferredResources(shared.Client.Discovery())
	w.check("ask for the kinds of objects", err)
	lists = discovery.FilteredBy(discovery.SupportsAllVerbs{Verbs: []string{"list"}}, lists)
	resources, err := discovery.GroupVersionResources(lists)
	w.check("read the kinds of objects", err)
	var all []schema.GroupVersionResource
	for resource := range resources {
		all = append(all, resource)
	}
	slices.SortFunc(all, func(a, b schema.GroupVersionResource) int {
		return strings.Compare(a.String(), b.String())
	})
	return all
}

// isOurs tells whether an object is the release's. Events tell of what was, and end by themselves;
// the namespace is whoever's who made it.
func isOurs(resource schema.GroupVersionResource, object *metav1.PartialObjectMetadata) bool {
	if resource.Resource == "events" || resource.Resource == "namespaces" {
		return false
	}
	labels := object.Labels
	return labels["app.kubernetes.io/instance"] == releaseName ||
		labels["app.kubernetes.io/part-of"] == "berth" ||
		object.Name == releaseName || strings.HasPrefix(object.Name, releaseName+"-") ||
		strings.HasPrefix(object.Name, fmt.Sprintf("sh.helm.release.v1.%s.", releaseName))
}
