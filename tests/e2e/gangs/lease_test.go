package gangs

import (
	"context"
	"fmt"
	"testing"

	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

const (
	leaseAnnotation = "berth.dev/plan-lease"
	schedulerLease  = "kube-scheduler"
)

// A kube-scheduler up to 1.36 that starts knows no nominations of pods with gates. In the box it
// elects no leader, so the test has its Lease change hands.
func TestAReservedGangKeepsItsNodesWhenKubeSchedulerStartsAgain(t *testing.T) {
	w := gateWorld(t)
	w.leads("one", 1)
	reserved, release := w.reserveAll()
	promised := promises(reserved)
	shared.Scheduler.Stop()
	w.back(shared.Scheduler)
	w.leads("two", 2)
	w.all(heldGang, heldPods, "are nominated for the new kube-scheduler", func(pod corev1.Pod) bool {
		return isGated(pod) && isNominated(pod) && pod.Annotations[leaseAnnotation] == "two/2"
	})
	rivals := w.rivals()
	w.some("rival-", nodes-heldPods, nodes, "run", isRunning)
	w.some("rival-", heldPods, nodes, "are refused", isRefused)
	w.delete(rivals...)
	release()
	pods := w.all(heldGang, heldPods, "run", isRunning)
	w.expectOn(promised, pods)
}

// leads has that process hold kube-scheduler's Lease.
func (w *world) leads(holder string, transitions int32) {
	w.Helper()
	leases := shared.Client.CoordinationV1().Leases(metav1.NamespaceSystem)
	spec := coordinationv1.LeaseSpec{HolderIdentity: &holder, LeaseTransitions: &transitions}
	lease, err := leases.Get(w.Context(), schedulerLease, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		_, err = leases.Create(w.Context(), &coordinationv1.Lease{
			ObjectMeta: metav1.ObjectMeta{Name: schedulerLease}, Spec: spec}, metav1.CreateOptions{})
	} else if err == nil {
		lease.Spec = spec
		_, err = leases.Update(w.Context(), lease, metav1.UpdateOptions{})
	}
	w.Check("write kube-scheduler's Lease", err)
	w.Cleanup(func() {
		_ = leases.Delete(context.WithoutCancel(w.Context()), schedulerLease, metav1.DeleteOptions{})
	})
}

// reserveAll makes a gang of eight whole nodes that are all nominated, and whose gates are held.
func (w *world) reserveAll() (reserved []corev1.Pod, release func()) {
	w.Helper()
	w.away(controller.Process)
	pods := members(heldGang, heldPods, devices)
	w.create(pods...)
	var releases []func()
	for _, pod := range pods {
		releases = append(releases, w.hold(pod.Name, writePod))
	}
	w.back(controller.Process)
	reserved = w.all(heldGang, heldPods, "are nominated and gated",
		func(pod corev1.Pod) bool { return isNominated(pod) && isGated(pod) })
	return reserved, func() {
		for _, release := range releases {
			release()
		}
	}
}

// rivals creates a pod for each node, and returns their names.
func (w *world) rivals() (names []string) {
	w.Helper()
	var pods []*corev1.Pod
	for i := range nodes {
		pods = append(pods, single(fmt.Sprintf("rival-%d", i), "", devices))
		names = append(names, pods[i].Name)
	}
	w.create(pods...)
	return names
}

// isRefused is of a pod for which kube-scheduler has found no node.
func isRefused(pod corev1.Pod) bool {
	for _, condition := range pod.Status.Conditions {
		if condition.Type == corev1.PodScheduled && condition.Reason == corev1.PodReasonUnschedulable {
			return true
		}
	}
	return false
}
