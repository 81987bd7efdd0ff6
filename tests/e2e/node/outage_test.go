//go:build cluster

package node

import (
	"fmt"
	"syscall"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

const thousand = 1000

// A program that is killed takes with it what it was asked at that moment. Whatever may be stored
// without Berth is, and the pods are placed by whoever leads next.
func TestKilledContainersLoseNothing(t *testing.T) {
	r := ofRelease(t)
	r.roadway()
	traffic := r.startTraffic(r.team(), completeErrands)
	for _, c := range []struct {
		component string
		words     []string
	}{
		{"admission", []string{"berth", "admission"}},
		{"extender", []string{"berth", "extender"}},
		{"scheduler", []string{"kube-scheduler"}},
		{"controller", []string{"berth", "controller"}},
	} {
		pod := &r.lasting(c.component)[0]
		if c.component == "scheduler" || c.component == "controller" {
			pod = r.leader(c.component)
		}
		restarts := r.restarts()
		r.Check(fmt.Sprint("kill ", c.words), syscall.Kill(r.process(pod, c.words...), syscall.SIGKILL))
		r.Await(fmt.Sprint(c.words, " to be started again"), func() bool {
			return r.restarts() > restarts
		})
		r.awaitReady(2 * len(components))
		traffic.awaitMore(leastTraffic)
	}
	r.Await("a thousand creates", func() bool { return traffic.creates.Done() >= thousand })
	traffic.expectNothingLost(thousand)
	traffic.expectSeen(thousand / 20)
}

// Of two replicas one goes as pods go, and the other does all the work: every pod is made safe.
func TestOneReplicaLosesNothing(t *testing.T) {
	r := ofRelease(t)
	r.roadway()
	traffic := r.startTraffic(r.team(), carelessErrands)
	r.scale(1)
	r.Await("a thousand creates", func() bool { return traffic.creates.Done() >= thousand })
	r.scale(2)
	traffic.expectNothingLost(thousand)
}

// kubelet's probes are real: what hangs gets no more requests, and is started again.
func TestProbesFindWhatHangs(t *testing.T) {
	r := ofRelease(t)
	team := r.team()
	hanging := map[string]*corev1.Pod{"admission": &r.lasting("admission")[0],
		"controller": &r.lasting("controller")[0], "extender": &r.lasting("extender")[0]}
	restarts := r.restarts()
	for program, pod := range hanging {
		r.Check("stop "+program, syscall.Kill(r.process(pod, "berth", program), syscall.SIGSTOP))
	}
	for program, pod := range hanging {
		r.Await(program+" not to be ready", func() bool { return !isReady(r.get(pod.Name)) })
	}
	r.awaitSafe(team) // connections that are open still lead to the one that hangs
	for range leastTraffic {
		made, err := errand{name: "cpu-pod"}.create(t.Context(), team, metav1.DryRunAll)
		if err != nil || made.Annotations[annotationMade] == "" {
			t.Errorf("while one replica hangs: %v, %v", made, err)
		}
	}
	r.Await("what hangs to be started again", func() bool {
		return r.restarts() >= restarts+int32(len(hanging))
	})
	r.awaitReady(2 * len(components))
}

func (r *release) get(pod string) *corev1.Pod {
	r.Helper()
	got, err := shared.Client.CoreV1().Pods(namespace).Get(r.Context(), pod, metav1.GetOptions{})
	r.Check("get "+pod, err)
	return got
}

// awaitSafe waits until pods are changed several times in a row.
func (r *release) awaitSafe(team string) {
	r.Helper()
	inRow := 0
	r.Await("pods to be made safe", func() bool {
		made, err := errand{name: "cpu-pod"}.create(r.Context(), team, metav1.DryRunAll)
		if err != nil || made.Annotations[annotationMade] == "" {
			inRow = -1
		}
		inRow++
		return inRow == 5
	})
}
