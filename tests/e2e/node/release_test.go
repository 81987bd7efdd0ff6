//go:build cluster

package node

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"berth.dev/berth/tests/e2e/box"
	"berth.dev/berth/tests/e2e/fleet"
)

const (
	releaseName = "berth"
	nextVersion = "99.0.0-next"
)

// components are those whose pods the release has, two of each.
var components = []string{"admission", "controller", "extender", "scheduler"}

// release is Berth's release, as an administrator changes it.
type release struct{ *world }

func ofRelease(t *testing.T) *release {
	t.Helper()
	return &release{enter(t)}
}

func (r *release) helm(arguments ...string) {
	r.Helper()
	_, err := shared.Helm(r.Context(), arguments...)
	r.Check("helm", err)
}

// nextChart is the chart of a next version, whose image is this one's by another tag.
func (r *release) nextChart() string {
	r.Helper()
	next := filepath.Join(shared.Dir, "next-chart")
	r.Cleanup(func() { _ = os.RemoveAll(next) })
	r.Check("copy the chart", withVersion(next, nextVersion))
	const repository = "docker.io/library/berth:"
	r.Check("tag the image", realNode.ctr(r.Context(), "images", "tag", "--force",
		repository+ours.version, repository+nextVersion))
	return next
}

// team makes a namespace in which Berth enforces.
func (r *release) team() string {
	r.Helper()
	namespaces := shared.Client.CoreV1().Namespaces()
	made, err := namespaces.Create(r.Context(), &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{
		GenerateName: "team-", Labels: map[string]string{box.LabelAdmission: "enforce"}},
	}, metav1.CreateOptions{})
	r.Check("create a namespace", err)
	r.Cleanup(func() {
		_ = namespaces.Delete(context.Background(), made.Name, metav1.DeleteOptions{})
	})
	r.Await("a service account in "+made.Name, func() bool {
		_, err := shared.Client.CoreV1().ServiceAccounts(made.Name).Get(r.Context(), "default",
			metav1.GetOptions{})
		return err == nil
	})
	return made.Name
}

// roadway creates the nodes of traffic until the test ends.
func (r *release) roadway() {
	r.Helper()
	pools := trafficPools()
	r.Cleanup(func() {
		for _, node := range fleet.Nodes(pools, time.Now()) {
			_ = shared.Client.CoreV1().Nodes().Delete(context.Background(), node.Name,
				metav1.DeleteOptions{})
		}
	})
	r.Check("create nodes", fleet.CreateNodes(r.Context(), shared.Client, pools))
	for _, pool := range pools {
		r.Check("break a node", fleet.SetCondition(r.Context(), shared.Client, pool.NodeName(0),
			conditionLost, true))
	}
}

// lasting are the pods of a component that are not ending.
func (r *release) lasting(component string) []corev1.Pod {
	r.Helper()
	return slices.DeleteFunc(r.pods(namespace, "app.kubernetes.io/component="+component),
		func(pod corev1.Pod) bool { return pod.DeletionTimestamp != nil })
}

// uids are those of all of the release's pods that are not ending.
func (r *release) uids() map[string]bool {
	r.Helper()
	uids := map[string]bool{}
	for _, component := range components {
		for _, pod := range r.lasting(component) {
			uids[string(pod.UID)] = true
		}
	}
	return uids
}

// awaitReady waits until the release has so many pods, all ready.
func (r *release) awaitReady(count int) {
	r.Helper()
	r.Await(fmt.Sprintf("%d pods of the release, all ready", count), func() bool {
		pods := r.pods(namespace, releaseSelector)
		return len(pods) == count && !slices.ContainsFunc(pods,
			func(pod corev1.Pod) bool { return !isReady(&pod) })
	})
}

// scale has each component have so many pods, and waits until the others have ended.
func (r *release) scale(replicas int32) {
	r.Helper()
	deployments := shared.Client.AppsV1().Deployments(namespace)
	for _, component := range components {
		scale, err := deployments.GetScale(r.Context(), releaseName+"-"+component, metav1.GetOptions{})
		r.Check("get the scale of "+component, err)
		scale.Spec.Replicas = replicas
		_, err = deployments.UpdateScale(r.Context(), scale.Name, scale, metav1.UpdateOptions{})
		r.Check("scale "+component, err)
	}
	r.awaitReady(int(replicas) * len(components))
}

// leader is the pod of a component that holds its Lease.
func (r *release) leader(component string) *corev1.Pod {
	r.Helper()
	var leader *corev1.Pod
	r.Await("a leader of "+component, func() bool {
		lease, err := shared.Client.CoordinationV1().Leases(namespace).Get(r.Context(),
			releaseName+"-"+component, metav1.GetOptions{})
		if err != nil || lease.Spec.HolderIdentity == nil {
			return false
		}
		for _, pod := range r.lasting(component) {
			if strings.HasPrefix(*lease.Spec.HolderIdentity, pod.Name+"_") {
				leader = &pod
			}
		}
		return leader != nil
	})
	return leader
}

// process is the one of a pod that was started by these words.
func (r *release) process(pod *corev1.Pod, words ...string) int {
	r.Helper()
	for _, pid := range r.processes(words...) {
		if strings.Contains(r.proc(pid, "cgroup"), string(pod.UID)) {
			return pid
		}
	}
	r.Fatalf("no process %v of %s", words, pod.Name)
	return 0
}
