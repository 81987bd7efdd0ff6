package lists

import (
	_ "embed"
	"fmt"
	"iter"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/yaml"

	"berth.dev/berth/tests/e2e/fleet"
)

const (
	teams = 50
	// kubelet reports so many images of a node (its nodeStatusMaxImages).
	imagesPerNode = 50
)

//go:embed node.yaml
var nodeYAML []byte

//go:embed pod.yaml
var podYAML []byte

// ClusterOf has the nodes of the pools, so many pods that run on them, and a Service for every
// hundred. Of the pods as many as possible hold a device each, which is the most to remember; the
// others hold none.
func ClusterOf(pools []fleet.Pool, pods int) (Cluster, error) {
	var node corev1.Node
	if err := yaml.UnmarshalStrict(nodeYAML, &node); err != nil {
		return Cluster{}, fmt.Errorf("node.yaml: %w", err)
	}
	var pod corev1.Pod
	if err := yaml.UnmarshalStrict(podYAML, &pod); err != nil {
		return Cluster{}, fmt.Errorf("pod.yaml: %w", err)
	}
	return Cluster{Nodes: nodes(pools, node), Pods: podsOn(machines(pools), pod, pods),
		Services: services(pods / 100)}, nil
}

// nodes are those of fleet.EachNode with what the template has beside.
func nodes(pools []fleet.Pool, template corev1.Node) iter.Seq[*corev1.Node] {
	images := imagesOf(imagesPerNode)
	return func(yield func(*corev1.Node) bool) {
		number := 0
		for node := range fleet.EachNode(pools, time.Now()) {
			node.Annotations, node.ManagedFields = template.Annotations, template.ManagedFields
			node.Status.DaemonEndpoints = template.Status.DaemonEndpoints
			node.Status.NodeInfo = template.Status.NodeInfo
			node.Status.Images = images
			number++
			store(node, number)
			if !yield(node) {
				return
			}
		}
	}
}

func imagesOf(count int) []corev1.ContainerImage {
	var images []corev1.ContainerImage
	for i := range count {
		name := fmt.Sprintf("registry.example/research/image-%02d", i)
		images = append(images, corev1.ContainerImage{SizeBytes: int64(i+1) << 28,
			Names: []string{fmt.Sprintf("%s@sha256:%064x", name, i), name + ":2026-01-09"}})
	}
	return images
}

// machine is a node as pods see it.
type machine struct {
	name     string
	resource corev1.ResourceName
	devices  int
}

func machines(pools []fleet.Pool) []machine {
	var all []machine
	for _, pool := range pools {
		for index := range pool.Nodes {
			all = append(all, machine{name: pool.NodeName(index),
				resource: corev1.ResourceName(pool.Resource), devices: int(pool.Devices)})
		}
	}
	return all
}

// podsOn deals pods to the machines in turn. Pods that are equal share what is in them.
func podsOn(machines []machine, template corev1.Pod, count int) iter.Seq[*corev1.Pod] {
	containers := map[corev1.ResourceName][]corev1.Container{"": template.Spec.Containers}
	for _, m := range machines {
		if containers[m.resource] == nil {
			containers[m.resource] = withDevice(template, m.resource)
		}
	}
	return func(yield func(*corev1.Pod) bool) {
		for i := range count {
			m, round := machines[i%len(machines)], i/len(machines)
			pod := template
			pod.Namespace = teamOf(i)
			pod.Name = fmt.Sprintf("%s%06d", template.GenerateName, i)
			pod.Spec.NodeName = m.name
			if round < m.devices {
				pod.Spec.Containers = containers[m.resource]
			}
			store(&pod, i+1)
			if !yield(&pod) {
				return
			}
		}
	}
}

// withDevice are the template's containers, of which the first asks for a device.
func withDevice(template corev1.Pod, name corev1.ResourceName) []corev1.Container {
	containers := template.DeepCopy().Spec.Containers
	for _, list := range []corev1.ResourceList{containers[0].Resources.Requests,
		containers[0].Resources.Limits} {
		list[name] = *resource.NewQuantity(1, resource.DecimalSI)
	}
	return containers
}

func services(count int) iter.Seq[*corev1.Service] {
	return func(yield func(*corev1.Service) bool) {
		for i := range count {
			name := fmt.Sprintf("serve-%05d", i)
			service := &corev1.Service{
				ObjectMeta: metav1.ObjectMeta{Namespace: teamOf(i), Name: name},
				Spec: corev1.ServiceSpec{Selector: map[string]string{"app": name},
					Ports: []corev1.ServicePort{{Name: "http", Protocol: corev1.ProtocolTCP, Port: 80}}},
			}
			store(service, i+1)
			if !yield(service) {
				return
			}
		}
	}
}

func teamOf(number int) string { return fmt.Sprintf("team-%02d", number%teams) }

// store gives an object what kube-apiserver does when it is created.
func store(o object, number int) {
	o.SetUID(types.UID(fmt.Sprintf("0b8c2f1e-0000-4000-8000-%012x", number)))
	o.SetResourceVersion(fmt.Sprint(number))
	o.SetCreationTimestamp(metav1.Unix(1_767_000_000, 0))
}
