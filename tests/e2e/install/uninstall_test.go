package install

import (
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
	pod, err := w.try(team, carelessPod())
	w.check("try a pod", err)
	if pod.Status.QOSClass != corev1.PodQOSBestEffort {
		t.Errorf("somebody still makes pods %s", pod.Status.QOSClass)
	}
	w.awaitNone("objects of the release", w.leftovers)
	creates.expectNoFailure(2 * leastLoad)
	// While the webhooks come, a pod may be judged that was not changed: see docs/admission.md.
	creates = w.createDecent(team)
	w.install(nil)
	creates.expectNoFailure(leastLoad)
	w.createJob(team, trainingJob("again"))
	w.running(team, "again")
}

// Names of objects begin with the release's where that does not say whose they are.
func TestReleaseOfAnotherName(t *testing.T) {
	w := &world{t}
	if installed != nil {
		w.uninstall()
	}
	_, err := shared.Helm(t.Context(), "install", "gpu", w.chart(), "--create-namespace", "--wait")
	w.check("install the chart", err)
	w.awaitAsked()
	team := w.team("enforce")
	w.createJob(team, trainingJob("train"))
	w.running(team, "train")
	_, err = shared.Client.CoreV1().Secrets(namespace).Get(t.Context(), "gpu-berth-ca",
		metav1.GetOptions{})
	w.check("get the authority", err)
	w.awaitOwned()
	_, err = shared.Helm(t.Context(), "uninstall", "gpu", "--wait")
	w.check("uninstall the release", err)
	w.awaitNone("objects of the release", w.leftovers)
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
	return object.Labels["app.kubernetes.io/part-of"] == "berth" ||
		strings.Contains(object.Name, "berth")
}
