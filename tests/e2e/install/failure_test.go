package install

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// A replica that dies takes the reviews that it has begun with it, and those that still come to it:
// these pods are created as they are where that is allowed, but they are created.
func TestKilledWebhookFailsNoCreate(t *testing.T) {
	w := release(t, nil)
	warned, enforced := w.createAnyway(w.team("")), w.createDecent(w.team("enforce"))
	for _, pod := range w.component("admission") {
		w.killAndAwait(pod, "admission")
		warned.AwaitMore(leastLoad)
		enforced.AwaitMore(leastLoad)
	}
	warned.ExpectNoFailure(2 * leastLoad)
	enforced.ExpectNoFailure(2 * leastLoad)
	w.awaitAsked()
}

// One that is asked to end ends without a failed review, and every pod is made safe.
func TestDeletedPodsFailNoRequest(t *testing.T) {
	w := release(t, nil)
	team := w.team("enforce")
	creates, placements := w.createSafely(team), w.place(team)
	for _, component := range []string{"admission", "extender", "scheduler", "controller"} {
		w.replaceOne(component)
	}
	creates.AwaitMore(leastLoad)
	placements.AwaitMore(2)
	creates.ExpectNoFailure(2 * leastLoad)
	placements.ExpectNoFailure(2)
}

// A node is drained pod by pod: of a component one may go, and no other until it is replaced.
func TestDrainLeavesOneServing(t *testing.T) {
	w := release(t, nil)
	for _, component := range []string{"admission", "extender", "scheduler", "controller"} {
		w.Await("a disruption of "+component+" to be allowed", func() bool {
			budget, err := shared.Client.PolicyV1().PodDisruptionBudgets(namespace).Get(t.Context(),
				releaseName+"-"+component, metav1.GetOptions{})
			w.Check("get the budget of "+component, err)
			return budget.Status.DisruptionsAllowed == 1
		})
		pods := w.component(component)
		w.Check("evict "+pods[0].Name, w.evict(pods[0].Name))
		if err := w.evict(pods[1].Name); !apierrors.IsTooManyRequests(err) {
			t.Errorf("evict %s: %v, want a refusal", pods[1].Name, err)
		}
		w.Await("another pod of "+component, func() bool { return len(w.component(component)) == 2 })
		for _, pod := range w.component(component) {
			w.awaitReady(pod.Name)
		}
	}
}

// evict asks as `kubectl drain` does.
func (w *world) evict(pod string) error {
	return shared.Client.PolicyV1().Evictions(namespace).Evict(w.Context(),
		&policyv1.Eviction{ObjectMeta: metav1.ObjectMeta{Name: pod, Namespace: namespace}})
}

// leader is the pod of the controller that writes; there is one and no more.
func (w *world) leader() string {
	w.Helper()
	var leaders []string
	w.Await("one leader", func() bool {
		leaders = nil
		for _, pod := range w.component("controller") {
			samples, err := shared.Kubelet.Metrics(w.Context(), pod.Name, "metrics")
			if err == nil && samples.Sum("berth_controller_leads") == 1 {
				leaders = append(leaders, pod.Name)
			}
		}
		return len(leaders) == 1
	})
	return leaders[0]
}

// replaceOne deletes one pod of a component, as a drained node does, and waits for another.
func (w *world) replaceOne(component string) {
	w.Helper()
	pods := w.component(component)
	if len(pods) != 2 {
		w.Fatalf("%d pods of %s, want 2", len(pods), component)
	}
	w.Check("delete "+pods[0].Name, shared.Client.CoreV1().Pods(namespace).Delete(w.Context(),
		pods[0].Name, metav1.DeleteOptions{}))
	w.Await("two pods of "+component+" without "+pods[0].Name, func() bool {
		now := w.component(component)
		return len(now) == 2 && now[0].Name != pods[0].Name && now[1].Name != pods[0].Name
	})
	for _, pod := range w.component(component) {
		w.awaitReady(pod.Name)
	}
}

// scale has a component have so many pods, and waits for them.
func (w *world) scale(component string, replicas int32) {
	w.Helper()
	deployments := shared.Client.AppsV1().Deployments(namespace)
	scale, err := deployments.GetScale(w.Context(), releaseName+"-"+component, metav1.GetOptions{})
	w.Check("get the scale of "+component, err)
	scale.Spec.Replicas = replicas
	_, err = deployments.UpdateScale(w.Context(), scale.Name, scale, metav1.UpdateOptions{})
	w.Check("scale "+component, err)
	w.Await("the pods of "+component, func() bool {
		got, err := deployments.Get(w.Context(), scale.Name, metav1.GetOptions{})
		w.Check("get "+component, err)
		all := w.pods(namespace, "app.kubernetes.io/component="+component) // ending ones still serve
		return got.Status.ReadyReplicas == replicas && len(all) == int(replicas)
	})
}

// killAndAwait kills a program and waits until it serves again.
func (w *world) killAndAwait(pod corev1.Pod, container string) {
	w.Helper()
	before := w.restarts()[pod.Name+"/"+container]
	w.Check("kill "+pod.Name, shared.Kubelet.Kill(pod.Name, container))
	w.Await(pod.Name+" to be started again", func() bool {
		return w.restarts()[pod.Name+"/"+container] > before
	})
	w.awaitReady(pod.Name)
}
