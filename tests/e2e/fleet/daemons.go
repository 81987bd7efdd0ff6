package fleet

import (
	"context"
	"fmt"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
)

const (
	daemonPoll    = 100 * time.Millisecond
	daemonTimeout = 3 * time.Minute
)

// CreateDaemons creates a DaemonSet whose pods ask for one core on every node, as the agents of a
// real cluster do together, and waits until they run.
func CreateDaemons(ctx context.Context, client kubernetes.Interface) error {
	sets := client.AppsV1().DaemonSets(metav1.NamespaceSystem)
	if _, err := sets.Create(ctx, nodeAgent(), metav1.CreateOptions{}); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, daemonTimeout)
	defer cancel()
	for {
		set, err := sets.Get(ctx, nodeAgent().Name, metav1.GetOptions{})
		if err != nil {
			return err
		}
		status := set.Status
		if status.DesiredNumberScheduled > 0 && status.NumberReady == status.DesiredNumberScheduled {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("%d of %d pods of DaemonSet %s run: %w", status.NumberReady,
				status.DesiredNumberScheduled, set.Name, ctx.Err())
		case <-time.After(daemonPoll):
		}
	}
}

func nodeAgent() *appsv1.DaemonSet {
	labels := map[string]string{"app": "node-agent"}
	return &appsv1.DaemonSet{
		ObjectMeta: metav1.ObjectMeta{Name: "node-agent", Namespace: metav1.NamespaceSystem},
		Spec: appsv1.DaemonSetSpec{
			Selector: &metav1.LabelSelector{MatchLabels: labels},
			Template: corev1.PodTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{Labels: labels},
				Spec: corev1.PodSpec{
					Tolerations: []corev1.Toleration{{Operator: corev1.TolerationOpExists}},
					Containers: []corev1.Container{{
						Name: "agent", Image: "registry.example/agent:1",
						Resources: corev1.ResourceRequirements{Requests: corev1.ResourceList{
							corev1.ResourceCPU: resource.MustParse("1"),
						}},
					}},
				},
			},
		},
	}
}
