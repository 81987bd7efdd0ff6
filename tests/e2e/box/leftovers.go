package box

import (
	"context"
	"fmt"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/metadata"
)

// Leftovers are the objects of all kinds that have the name or the labels of a release of Berth's
// chart: its pods, rights, Secrets and Leases, and whatever else there is.
func (b *Box) Leftovers(ctx context.Context) ([]string, error) {
	client, err := metadata.NewForConfig(b.Config)
	if err != nil {
		return nil, err
	}
	resources, err := b.listable()
	if err != nil {
		return nil, err
	}
	var found []string
	for _, resource := range resources {
		list, err := client.Resource(resource).List(ctx, metav1.ListOptions{})
		if apierrors.IsNotFound(err) || apierrors.IsMethodNotSupported(err) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("list %s: %w", resource, err)
		}
		for _, object := range list.Items {
			if isBerths(resource, &object) {
				found = append(found, resource.Resource+" "+object.Namespace+"/"+object.Name)
			}
		}
	}
	return found, nil
}

// OwnerlessLeases are the Leases of KubeletNamespace that would outlive a release: the controller
// looks every ten seconds for those that it has not made itself.
func (b *Box) OwnerlessLeases(ctx context.Context) ([]string, error) {
	leases, err := b.Client.CoordinationV1().Leases(KubeletNamespace).List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, err
	}
	var ownerless []string
	for _, lease := range leases.Items {
		if len(lease.OwnerReferences) == 0 {
			ownerless = append(ownerless, lease.Name)
		}
	}
	return ownerless, nil
}

// listable are all kinds of objects that can be listed.
func (b *Box) listable() ([]schema.GroupVersionResource, error) {
	lists, err := discovery.ServerPreferredResources(b.Client.Discovery())
	if err != nil {
		return nil, err
	}
	lists = discovery.FilteredBy(discovery.SupportsAllVerbs{Verbs: []string{"list"}}, lists)
	resources, err := discovery.GroupVersionResources(lists)
	if err != nil {
		return nil, err
	}
	var all []schema.GroupVersionResource
	for resource := range resources {
		all = append(all, resource)
	}
	slices.SortFunc(all, func(a, b schema.GroupVersionResource) int {
		return strings.Compare(a.String(), b.String())
	})
	return all, nil
}

// isBerths tells whether an object is a release's. Events tell of what was, and end by themselves;
// the namespace is whoever's who made it.
func isBerths(resource schema.GroupVersionResource, object *metav1.PartialObjectMetadata) bool {
	if resource.Resource == "events" || resource.Resource == "namespaces" {
		return false
	}
	return object.Labels["app.kubernetes.io/part-of"] == "berth" ||
		strings.Contains(object.Name, "berth")
}
