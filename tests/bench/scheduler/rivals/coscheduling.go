package rivals

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	schedulerconfig "k8s.io/kube-scheduler/config/v1"

	"berth.dev/berth/tests/bench/placing"
	"berth.dev/berth/tests/e2e/box"
	"berth.dev/berth/tests/e2e/manifests"
)

const (
	schedulerPlugins = "scheduler-plugins" // program
	plugin           = "Coscheduling"
	podGroupLabel    = "scheduling.x-k8s.io/pod-group"
	schedulerUser    = "system:kube-scheduler"
)

var podGroups = schema.GroupVersionResource{Group: "scheduling.x-k8s.io", Version: "v1alpha1",
	Resource: "podgroups"}

// configureCoscheduling is manifests/coscheduling/scheduler-config.yaml of scheduler-plugins.
func configureCoscheduling(config *schedulerconfig.KubeSchedulerConfiguration) {
	enabled := []schedulerconfig.Plugin{{Name: plugin}}
	config.Profiles = []schedulerconfig.KubeSchedulerProfile{{
		SchedulerName: new(corev1.DefaultSchedulerName),
		Plugins: &schedulerconfig.Plugins{
			MultiPoint: schedulerconfig.PluginSet{Enabled: enabled},
			QueueSort: schedulerconfig.PluginSet{Enabled: enabled,
				Disabled: []schedulerconfig.Plugin{{Name: "*"}}},
		}}}
}

func joinPodGroup(pod *corev1.Pod, g gang) { pod.Labels[podGroupLabel] = g.name }

// coscheduling has the plugin's custom resource in the cluster. Its controller, which keeps the
// status of PodGroups, is not needed to place pods.
type coscheduling struct {
	box    *box.Box
	client dynamic.Interface
}

func newCoscheduling(cluster *placing.Cluster) helper { return &coscheduling{box: cluster.Box} }

func (c *coscheduling) install(ctx context.Context, _ int64) error {
	var err error
	if c.client, err = dynamic.NewForConfig(jsonConfig(c.box)); err != nil {
		return err
	}
	definitions, err := manifests.Of(schedulerPlugins)
	if err != nil {
		return err
	}
	for _, definition := range definitions {
		if err := manifests.Establish(ctx, c.client, definition); err != nil {
			return err
		}
	}
	return c.grant(ctx)
}

// grant lets kube-scheduler read PodGroups, as the ClusterRole of scheduler-plugins does.
func (c *coscheduling) grant(ctx context.Context) error {
	rbac, meta := c.box.Client.RbacV1(), metav1.ObjectMeta{Name: schedulerPlugins}
	_, err := rbac.ClusterRoles().Create(ctx, &rbacv1.ClusterRole{ObjectMeta: meta,
		Rules: []rbacv1.PolicyRule{{APIGroups: []string{podGroups.Group},
			Resources: []string{podGroups.Resource, podGroups.Resource + "/status"},
			Verbs:     []string{"get", "list", "watch", "create", "delete", "update", "patch"}}},
	}, metav1.CreateOptions{})
	if err != nil {
		return err
	}
	_, err = rbac.ClusterRoleBindings().Create(ctx, &rbacv1.ClusterRoleBinding{ObjectMeta: meta,
		RoleRef:  rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: meta.Name},
		Subjects: []rbacv1.Subject{{Kind: rbacv1.UserKind, Name: schedulerUser}},
	}, metav1.CreateOptions{})
	return err
}

func (c *coscheduling) start(context.Context) error { return nil }

func (c *coscheduling) announce(ctx context.Context, gangs []gang) error {
	for _, g := range gangs {
		group := &unstructured.Unstructured{Object: map[string]any{
			"apiVersion": podGroups.GroupVersion().String(), "kind": "PodGroup",
			"metadata": map[string]any{"name": g.name},
			"spec":     map[string]any{"minMember": int64(len(g.pods))}}}
		_, err := c.client.Resource(podGroups).Namespace(metav1.NamespaceDefault).Create(ctx, group,
			metav1.CreateOptions{})
		if err != nil {
			return fmt.Errorf("create PodGroup %s: %w", g.name, err)
		}
	}
	return nil
}

func (c *coscheduling) stop() {}

func (c *coscheduling) forget(ctx context.Context) error {
	return c.client.Resource(podGroups).Namespace(metav1.NamespaceDefault).DeleteCollection(ctx,
		metav1.DeleteOptions{}, metav1.ListOptions{})
}
