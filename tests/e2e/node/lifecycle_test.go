//go:build cluster

package node

import (
	"maps"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"berth.dev/berth/tests/e2e/box"
)

// nextValues are other values of the next release, under which every kind of its objects changes but
// what becomes of errands does not.
var nextValues = []string{
	"networkPolicy.enabled=true", "scheduler.verbosity=3", "admission.timeoutSeconds=6",
	"podAnnotations.e2e=next", "config.grpc.listen=127.0.0.1:" + grpcPort,
}

const grpcPort = "9091"

// One version follows another and goes again, its image, its values and every pod, while users
// create and wait.
func TestUpgradeAndRollbackLoseNothing(t *testing.T) {
	r := ofRelease(t)
	r.roadway()
	chart, team := r.nextChart(), r.team()
	for _, step := range []struct {
		name, image string
		take        func(*release)
		policies    int
	}{
		{"upgrade", "berth:" + nextVersion, func(r *release) {
			r.Check("upgrade", r.upgrade(chart, "3m", nextValues...))
		}, len(components)},
		{"rollback", ours.image(), (*release).rollback, 0},
	} {
		t.Run(step.name, func(t *testing.T) {
			r := ofRelease(t)
			traffic, before := r.startTraffic(team, carelessErrands), r.uids()
			traffic.awaitMore(leastTraffic)
			step.take(r)
			traffic.awaitMore(leastTraffic)
			traffic.expectNothingLost(2 * leastTraffic)
			r.expectReplaced(before, step.image)
			if got := r.networkPolicies(); len(got) != step.policies {
				t.Errorf("network policies %v, want %d", got, step.policies)
			}
			if step.name == "upgrade" {
				r.expectCapacityByGRPC()
			}
		})
	}
}

// What cannot start replaces nothing: the former pods serve until somebody goes back, and afterwards.
func TestFailedUpgradeLosesNothing(t *testing.T) {
	r := ofRelease(t)
	r.roadway()
	traffic, before := r.startTraffic(r.team(), carelessErrands), r.uids()
	// Never: kubelet would ask one image after the other of a registry that is not there.
	if r.upgrade(ours.chart, "15s", "image.tag=nowhere-to-be-had", "image.pullPolicy=Never") == nil {
		t.Error("an upgrade to an image that nobody has succeeds")
	}
	traffic.awaitMore(leastTraffic)
	r.rollback()
	r.awaitReady(2 * len(components))
	traffic.awaitMore(leastTraffic)
	traffic.expectNothingLost(2 * leastTraffic)
	if after := r.uids(); !maps.Equal(before, after) {
		t.Errorf("pods %v, were %v", after, before)
	}
}

// Nobody is locked out while Berth goes, nothing of it stays, and what waited for its scheduler
// meanwhile is placed when it is back.
func TestReleaseIsRemovedAndInstalledAgain(t *testing.T) {
	r := ofRelease(t)
	r.roadway()
	team := r.team()
	traffic := r.startTraffic(team, completeErrands)
	r.awaitNone("Leases without an owner", shared.OwnerlessLeases)
	r.helm("uninstall", releaseName, "--wait")
	r.awaitNone("objects of the release", shared.Leftovers)
	made, err := errand{name: "cpu-pod"}.create(t.Context(), team, metav1.DryRunAll)
	r.Check("create a pod without Berth", err)
	if made.Annotations[annotationMade] != "" {
		t.Errorf("somebody still changes pods: %v", made.Annotations)
	}
	traffic.awaitMore(leastTraffic)
	r.Check("install again", install(t.Context(), shared))
	traffic.awaitMore(leastTraffic)
	traffic.expectNothingLost(3 * leastTraffic)
	if traffic.lostReviews() == 0 { // else other tests would look at something else
		t.Error("kube-apiserver counts no review that nobody answered, although nobody did")
	}
	r.awaitReady(2 * len(components))
}

// upgrade goes over to a chart and values, and returns when all of it is ready, or that it is not.
func (r *release) upgrade(chart, timeout string, set ...string) error {
	_, err := shared.Helm(r.Context(), "upgrade", releaseName, chart, "--wait", "--timeout", timeout,
		"--reset-values", "--values", filepath.Join(shared.Dir, "values.yaml"),
		"--set", strings.Join(set, ","))
	return err
}

// rollback goes back to what was installed before.
func (r *release) rollback() {
	r.Helper()
	r.helm("rollback", releaseName, "--wait", "--timeout", "3m")
}

// expectReplaced fails the test unless all pods are others than these, and of the image.
func (r *release) expectReplaced(former map[string]bool, image string) {
	r.Helper()
	for uid := range r.uids() {
		if former[uid] {
			r.Errorf("pod %s was not replaced", uid)
		}
	}
	for _, pod := range r.lasting("admission") {
		if got := pod.Spec.Containers[0].Image; got != image {
			r.Errorf("%s is of %s, want %s", pod.Name, got, image)
		}
	}
}

func (r *release) networkPolicies() []string {
	r.Helper()
	list, err := shared.Client.NetworkingV1().NetworkPolicies(namespace).List(r.Context(),
		metav1.ListOptions{})
	r.Check("list the network policies", err)
	var names []string
	for _, policy := range list.Items {
		names = append(names, policy.Name)
	}
	return names
}

// expectCapacityByGRPC asks an extender from within its container: nobody else reaches its gRPC, which
// is on loopback.
func (r *release) expectCapacityByGRPC() {
	r.Helper()
	kubectl, err := box.Program("kubectl")
	r.Check("find kubectl", err)
	said, err := exec.CommandContext(r.Context(), kubectl, "--kubeconfig", shared.Kubeconfig,
		"--namespace", namespace, "exec", "deploy/berth-extender", "--", "berth", "capacity", "--server", "localhost:"+grpcPort).CombinedOutput()
	if err != nil || !strings.Contains(string(said), "V100") {
		r.Errorf("ask by gRPC: %v\n%s", err, said)
	}
}
