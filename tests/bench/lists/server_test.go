package lists

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"io"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"

	"berth.dev/berth/tests/e2e/fleet"
)

const patience = time.Minute

func sampleCluster(t *testing.T, pods int) Cluster {
	t.Helper()
	cluster, err := ClusterOf(fleet.Small(4), pods)
	if err != nil {
		t.Fatal(err)
	}
	return cluster
}

// connect returns a client of a server of the cluster, which asks for protobuf as Kubernetes' own
// programs do.
func connect(t *testing.T, cluster Cluster) (*Server, kubernetes.Interface) {
	t.Helper()
	server := Start(cluster)
	t.Cleanup(server.Close)
	kubeconfig := filepath.Join(t.TempDir(), "kubeconfig")
	if err := server.WriteKubeconfig(kubeconfig); err != nil {
		t.Fatal(err)
	}
	config, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	if err != nil {
		t.Fatal(err)
	}
	config.ContentType = runtime.ContentTypeProtobuf
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		t.Fatal(err)
	}
	return server, client
}

// follow lists the cluster by client-go's informers.
func follow(t *testing.T, cluster Cluster) informers.SharedInformerFactory {
	t.Helper()
	_, client := connect(t, cluster)
	factory := informers.NewSharedInformerFactory(client, 0)
	core := factory.Core().V1()
	core.Nodes().Informer()
	core.Pods().Informer()
	core.Services().Informer()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	t.Cleanup(factory.Shutdown)
	t.Cleanup(cancel)
	factory.Start(ctx.Done())
	for kind, synced := range factory.WaitForCacheSync(ctx.Done()) {
		if !synced {
			t.Fatalf("%s are not listed", kind)
		}
	}
	return factory
}

func TestInformersOfClientGoSeeWhatIsMade(t *testing.T) {
	cluster := sampleCluster(t, 250)
	core := follow(t, cluster).Core().V1()
	nodes, nodesErr := core.Nodes().Lister().List(labels.Everything())
	pods, podsErr := core.Pods().Lister().List(labels.Everything())
	services, servicesErr := core.Services().Lister().List(labels.Everything())
	if nodesErr != nil || podsErr != nil || servicesErr != nil ||
		len(nodes) != 20 || len(pods) != 250 || len(services) != 2 {
		t.Fatalf("%d nodes (%v), %d pods (%v), %d Services (%v)", len(nodes), nodesErr, len(pods),
			podsErr, len(services), servicesErr)
	}
	for pod := range cluster.Pods {
		got, err := core.Pods().Lister().Pods(pod.Namespace).Get(pod.Name)
		if err != nil || !equality.Semantic.DeepEqual(got, pod) {
			t.Fatalf("%s/%s came as %v (%v)", pod.Namespace, pod.Name, got, err)
		}
	}
	for node := range cluster.Nodes {
		got, err := core.Nodes().Lister().Get(node.Name)
		if err != nil || got.UID != node.UID || !equality.Semantic.DeepEqual(got.Labels, node.Labels) ||
			!equality.Semantic.DeepEqual(got.Status.Allocatable, node.Status.Allocatable) ||
			len(got.Status.Conditions) != len(node.Status.Conditions) {
			t.Fatalf("%s came as %v (%v)", node.Name, got, err)
		}
	}
}

func TestEmptyClusterIsListed(t *testing.T) {
	nodes, err := follow(t, Cluster{}).Core().V1().Nodes().Lister().List(labels.Everything())
	if err != nil || len(nodes) != 0 {
		t.Errorf("%d nodes (%v)", len(nodes), err)
	}
}

func TestRequestsThatAreNotServed(t *testing.T) {
	server := Start(Cluster{})
	defer server.Close()
	roots := x509.NewCertPool()
	roots.AddCert(server.server.Certificate())
	client := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots}}}
	defer client.CloseIdleConnections()
	const protobuf = runtime.ContentTypeProtobuf
	cases := []struct {
		path, accept string
		code         int
		reply        string
	}{
		{"/api/v1/nodes", protobuf, 400, "only watches are served"},
		{"/api/v1/nodes?watch=true&timeoutSeconds=1", "application/json", 400, "in " + protobuf},
		{"/api/v1/nodes?watch=true", protobuf, 400, "timeoutSeconds"},
		{"/api/v1/nodes?watch=true&timeoutSeconds=1", protobuf, 400, "resourceVersion"},
		{"/api/v1/nodes?watch=true&timeoutSeconds=1&resourceVersion=1", protobuf, 410,
			"1 is not one of 1000000000 to 1000000000"},
		{"/api/v1/secrets?watch=true", protobuf, 404, "not found"},
	}
	for _, c := range cases {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet,
			server.server.URL+c.path, nil)
		if err != nil {
			t.Fatal(err)
		}
		request.Header.Set("Accept", c.accept)
		response, err := client.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		reply, err := io.ReadAll(response.Body)
		response.Body.Close()
		if err != nil || response.StatusCode != c.code || !strings.Contains(string(reply), c.reply) {
			t.Errorf("%s: %d %s (%v), want %d with %s", c.path, response.StatusCode, reply, err, c.code,
				c.reply)
		}
	}
}

func TestEveryDeviceIsHeldByAPodOfItsOwn(t *testing.T) {
	held := map[string]int64{}
	for pod := range sampleCluster(t, 500).Pods {
		for _, name := range []corev1.ResourceName{fleet.ResourceGPU, fleet.ResourceMNCore} {
			devices := pod.Spec.Containers[0].Resources.Requests[name]
			held[pod.Spec.NodeName] += devices.Value()
		}
	}
	for _, pool := range fleet.Small(4) {
		for index := range pool.Nodes {
			if got := held[pool.NodeName(index)]; got != pool.Devices {
				t.Errorf("%d of %d devices of %s are held", got, pool.Devices, pool.NodeName(index))
			}
		}
	}
}

func TestObjectsHaveWhatKubeAPIServerAdds(t *testing.T) {
	cluster := sampleCluster(t, 100)
	pods, nodes := slices.Collect(cluster.Pods), slices.Collect(cluster.Nodes)
	for _, o := range []object{pods[0], nodes[0], slices.Collect(cluster.Services)[0]} {
		created := o.GetCreationTimestamp()
		if o.GetUID() == "" || o.GetResourceVersion() == "" || created.IsZero() {
			t.Errorf("%s lacks something: %+v", o.GetName(), o)
		}
	}
	if pods[0].UID == pods[1].UID || pods[0].Name == pods[1].Name {
		t.Errorf("two pods are %s with uid %s", pods[0].Name, pods[0].UID)
	}
	// What fills the wire of a real cluster: fields' managers and the images of a node.
	if size := pods[0].Size(); size < 4000 || size > 8000 {
		t.Errorf("a pod has %d bytes", size)
	}
	if size := nodes[0].Size(); size < 10_000 || size > 25_000 {
		t.Errorf("a node has %d bytes", size)
	}
}
