package rivals

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/yaml"

	"berth.dev/berth/tests/bench/placing"
	"berth.dev/berth/tests/e2e/box"
	"berth.dev/berth/tests/e2e/fleet"
	"berth.dev/berth/tests/e2e/manifests"
)

const (
	kueueProgram   = "kueue"
	kueueNamespace = "kueue-system"
	kueueAccount   = "system:serviceaccount:" + kueueNamespace + ":kueue-controller-manager"
	kueueSecret    = "kueue-webhook-server-cert"
	kueueService   = "kueue-webhook-service"
	byQuota        = "gangs-by-quota" // queues
	byTopology     = "gangs-by-topology"
	queueTimeout   = time.Minute
	plenty         = "1000000" // cores, Gi
)

// What it converts between its versions.
var kueueConverted = []string{"ClusterQueue", "Cohort", "LocalQueue", "MultiKueueCluster", "Workload"}

// Stored in this version: who lists it so needs no conversion, and no Kueue.
var workloads = schema.GroupVersionResource{Group: "kueue.x-k8s.io", Version: "v1beta1",
	Resource: "workloads"}

// joinKueue makes a pod what Kueue's webhook makes it, but for the finalizer: pods are deleted when
// Kueue runs no more.
func joinKueue(pod *corev1.Pod, g gang) {
	pod.Labels["kueue.x-k8s.io/queue-name"] = byQuota
	pod.Labels["kueue.x-k8s.io/managed"] = "true"
	pod.Labels["kueue.x-k8s.io/pod-group-name"] = g.name
	pod.Annotations["kueue.x-k8s.io/pod-group-total-count"] = fmt.Sprint(len(g.pods))
	pod.Annotations["kueue.x-k8s.io/role-hash"] = "rank" // all pods are alike
	pod.Spec.SchedulingGates = []corev1.PodSchedulingGate{
		{Name: "kueue.x-k8s.io/admission"}, {Name: "kueue.x-k8s.io/topology"}}
}

// joinKueueTopology has Kueue choose nodes, near each other if it can.
func joinKueueTopology(pod *corev1.Pod, g gang) {
	joinKueue(pod, g)
	pod.Labels["kueue.x-k8s.io/queue-name"] = byTopology
	pod.Annotations["kueue.x-k8s.io/podset-preferred-topology"] = fleet.LabelRack
}

// kueue is Kueue with what its documentation calls all-or-nothing with ready pods: it admits a group
// of pods when there is quota for all, and the next one when all of these are ready.
type kueue struct {
	box            *box.Box
	client         dynamic.Interface
	process        *box.Process
	folder         string
	probe, webhook int // ports
	devices        int64
}

func newKueue(cluster *placing.Cluster) helper { return &kueue{box: cluster.Box} }

// jsonConfig is for custom resources, which know no protobuf.
func jsonConfig(b *box.Box) *rest.Config {
	config := rest.CopyConfig(b.Config)
	config.ContentType = ""
	return config
}

func (k *kueue) install(ctx context.Context, devices int64) error {
	k.devices = devices
	var err error
	if k.client, err = dynamic.NewForConfig(jsonConfig(k.box)); err != nil {
		return err
	}
	if k.probe, err = k.box.FreePort(); err != nil {
		return err
	}
	if k.webhook, err = k.box.FreePort(); err != nil {
		return err
	}
	authority, err := k.writeFiles(ctx)
	if err != nil {
		return err
	}
	objects, err := manifests.Of(kueueProgram)
	if err != nil {
		return err
	}
	convert := manifests.Reach(fmt.Sprintf("https://127.0.0.1:%d/convert", k.webhook), authority)
	for _, object := range objects {
		if object.GetKind() != "CustomResourceDefinition" {
			continue // pods come as its webhooks would make them
		}
		kind, _ := manifests.At(object, "spec", "names", "kind").(string)
		if slices.Contains(kueueConverted, kind) {
			if err := manifests.Convert(object, convert); err != nil {
				return err
			}
		}
		if err := manifests.Establish(ctx, k.client, object); err != nil {
			return err
		}
	}
	return nil
}

// writeFiles writes certificates and configuration, and returns the authority.
func (k *kueue) writeFiles(ctx context.Context) ([]byte, error) {
	k.folder = filepath.Join(k.box.Dir, kueueProgram)
	content, err := manifests.OwnAuthority("kueue-ca", kueueService+"."+kueueNamespace+".svc")
	if err != nil {
		return nil, err
	}
	_, err = k.box.Client.CoreV1().Secrets(kueueNamespace).Create(ctx, &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Name: kueueSecret}, Data: content}, metav1.CreateOptions{})
	if err != nil {
		return nil, fmt.Errorf("create Kueue's Secret: %w", err)
	}
	files := map[string][]byte{"tls.crt": content["tls.crt"], "tls.key": content["tls.key"]}
	if files["config.yaml"], err = yaml.Marshal(k.config()); err != nil {
		return nil, err
	}
	if err := os.Mkdir(k.folder, 0o700); err != nil {
		return nil, err
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(k.folder, name), text, 0o600); err != nil {
			return nil, err
		}
	}
	return content["ca.crt"], nil
}

// config is that of its manifests, but for pods and all-or-nothing, which are off there, and the 50
// requests a second that are all it may send: nobody here is held to as few.
func (k *kueue) config() map[string]any {
	return map[string]any{
		"apiVersion":     "config.kueue.x-k8s.io/v1beta2",
		"kind":           "Configuration",
		"namespace":      kueueNamespace,
		"health":         map[string]any{"healthProbeBindAddress": k.address(k.probe)},
		"metrics":        map[string]any{"bindAddress": "0"},
		"leaderElection": map[string]any{"leaderElect": false},
		"featureGates":   map[string]any{"VisibilityOnDemand": false},
		"webhook":        map[string]any{"host": "127.0.0.1", "port": k.webhook, "certDir": k.folder},
		"controller": map[string]any{"groupKindConcurrency": map[string]any{
			"Pod": 5, "Workload.kueue.x-k8s.io": 5, "LocalQueue.kueue.x-k8s.io": 1,
			"ClusterQueue.kueue.x-k8s.io": 1, "ResourceFlavor.kueue.x-k8s.io": 1}},
		"clientConnection": map[string]any{"qps": 1000, "burst": 2000},
		"integrations":     map[string]any{"frameworks": []string{"pod"}},
		"waitForPodsReady": map[string]any{"timeout": "5m", "blockAdmission": true},
	}
}

func (k *kueue) address(port int) string { return fmt.Sprintf("127.0.0.1:%d", port) }

// start runs Kueue, and returns when its queues take gangs.
func (k *kueue) start(ctx context.Context) error {
	if k.process != nil {
		if err := k.process.Start(ctx); err != nil {
			return err
		}
		return k.awaitQueues(ctx)
	}
	kubeconfig, err := k.box.KubeconfigFor(kueueAccount, "system:masters")
	if err != nil {
		return err
	}
	k.process, err = k.box.Run(ctx, box.Daemon{Program: kueueProgram,
		Arguments:   []string{"--config", filepath.Join(k.folder, "config.yaml")},
		Environment: []string{"KUBECONFIG=" + kubeconfig, "TMPDIR=" + k.folder},
		Ready:       k.box.ReadyAt("http://" + k.address(k.probe) + "/readyz")})
	if err != nil {
		return err
	}
	for _, object := range k.objects() {
		what := "Kueue to take " + object.GetKind() + " " + object.GetName()
		err := box.Retry(ctx, queueTimeout, what, func(ctx context.Context) error {
			_, err := k.resource(object).Create(ctx, object, metav1.CreateOptions{})
			return err
		})
		if err != nil {
			return err
		}
	}
	return k.awaitQueues(ctx)
}

// objects are two queues: Kueue knows the nodes of the second one.
func (k *kueue) objects() []*unstructured.Unstructured {
	levels := []any{map[string]any{"nodeLabel": fleet.LabelRack},
		map[string]any{"nodeLabel": corev1.LabelHostname}}
	objects := []*unstructured.Unstructured{
		kueueObject("Topology", byTopology, map[string]any{"levels": levels})}
	objects = append(objects, k.queue(byQuota, map[string]any{})...)
	return append(objects, k.queue(byTopology, map[string]any{"topologyName": byTopology,
		"nodeLabels": map[string]any{fleet.LabelPool: pool}})...)
}

// queue has quota for all devices that the gangs may use.
func (k *kueue) queue(name string, flavor map[string]any) []*unstructured.Unstructured {
	quota := func(name, amount string) any {
		return map[string]any{"name": name, "nominalQuota": amount}
	}
	resources := []any{quota("cpu", plenty), quota("memory", plenty+"Gi"),
		quota(fleet.ResourceGPU, fmt.Sprint(k.devices))}
	group := map[string]any{"coveredResources": []any{"cpu", "memory", fleet.ResourceGPU},
		"flavors": []any{map[string]any{"name": name, "resources": resources}}}
	return []*unstructured.Unstructured{
		kueueObject("ResourceFlavor", name, flavor),
		kueueObject("ClusterQueue", name, map[string]any{"namespaceSelector": map[string]any{},
			"resourceGroups": []any{group}}),
		kueueObject("LocalQueue", name, map[string]any{"clusterQueue": name}),
	}
}

func kueueObject(kind, name string, spec map[string]any) *unstructured.Unstructured {
	object := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "kueue.x-k8s.io/v1beta2",
		"kind": kind, "metadata": map[string]any{"name": name}, "spec": spec}}
	if kind == "LocalQueue" {
		object.SetNamespace(metav1.NamespaceDefault)
	}
	return object
}

func (k *kueue) resource(object *unstructured.Unstructured) dynamic.ResourceInterface {
	resource := k.client.Resource(manifests.ResourceOf(object))
	if object.GetNamespace() == "" {
		return resource
	}
	return resource.Namespace(object.GetNamespace())
}

func (k *kueue) awaitQueues(ctx context.Context) error {
	for _, name := range []string{byQuota, byTopology} {
		local := k.resource(kueueObject("LocalQueue", name, nil))
		err := box.Poll(ctx, queueTimeout, name+" to be active", func(ctx context.Context) (bool, error) {
			got, err := local.Get(ctx, name, metav1.GetOptions{})
			return err == nil && manifests.HasCondition(got, "Active"), nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func (k *kueue) announce(context.Context, []gang) error { return nil }

func (k *kueue) stop() {
	if k.process != nil {
		k.process.Stop()
	}
}

// forget deletes its Workloads, and takes the finalizers away for which no Kueue is there.
func (k *kueue) forget(ctx context.Context) error {
	resource := k.client.Resource(workloads).Namespace(metav1.NamespaceDefault)
	err := resource.DeleteCollection(ctx, metav1.DeleteOptions{}, metav1.ListOptions{})
	if err != nil {
		return fmt.Errorf("delete Workloads: %w", err)
	}
	left, err := resource.List(ctx, metav1.ListOptions{})
	if err != nil {
		return err
	}
	for _, each := range left.Items {
		_, err := resource.Patch(ctx, each.GetName(), types.MergePatchType,
			[]byte(`{"metadata":{"finalizers":null}}`), metav1.PatchOptions{})
		if err != nil {
			return fmt.Errorf("release Workload %s: %w", each.GetName(), err)
		}
	}
	return nil
}
