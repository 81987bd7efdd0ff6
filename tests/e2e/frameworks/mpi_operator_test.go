//go:build frameworks

package frameworks

import (
	"net"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"berth.dev/berth/tests/e2e/manifests"
)

// mpiProbe is where mpi-operator is asked for its health; no option changes it.
const mpiProbe = ":8080"

var mpiOperator = operator{
	program: "mpi-operator", namespace: "mpi-operator", account: "mpi-operator",
	probe: mpiProbe + "/healthz",
	arguments: func(run operatorRun) []string {
		return []string{"-kubeConfig", run.kubeconfig, "-lock-namespace", "mpi-operator",
			"-kube-api-qps", "500", "-kube-api-burst", "500"}
	},
	prepare: func(t *testing.T, _ operatorRun) {
		listener, err := net.Listen("tcp", mpiProbe)
		if err != nil {
			t.Skipf("mpi-operator listens on %s and nowhere else: %v", mpiProbe, err)
		}
		listener.Close()
	},
}

// Workers that are gone are made again while the launcher runs, and the MPIJob succeeds with it.
func TestMPIJob(t *testing.T) {
	mpiOperator.start(t)
	w := newWorld(t)
	w.breakNode("mn2b-a30-001")
	job := w.create(example(t, "mpi-operator"))
	w.expectForetold("launcher")
	w.expectForetold("worker")
	pods := w.running(3)
	w.expectPlaced(pods, "mn2b-a30-001")

	killed := mpiPod(w, pods, "worker")
	w.delete(killed)
	pods = w.without(killed, 3)

	lost := mpiPod(w, pods, "worker")
	w.breakNode(lost.Spec.NodeName)
	w.drain(lost)
	again := w.without(lost, 3)
	w.expectPlaced(newcomers(pods, again), "mn2b-a30-001", lost.Spec.NodeName)

	w.Await("the MPIJob to run", func() bool { return manifests.HasCondition(w.now(job), "Running") })
	w.finish(mpiPod(w, again, "launcher"))
	w.Await("the MPIJob to succeed", func() bool { return manifests.HasCondition(w.now(job), "Succeeded") })
	w.running(0) // as cleanPodPolicy says
}

// mpiPod is one of the pods of a role.
func mpiPod(w *world, pods []corev1.Pod, role string) corev1.Pod {
	w.Helper()
	return labelled(w, pods, "training.kubeflow.org/job-role", role)
}
