package install

import (
	"bytes"
	"context"
	"testing"

	corev1 "k8s.io/api/core/v1"
	schedulerconfig "k8s.io/kube-scheduler/config/v1"
	"sigs.k8s.io/yaml"
)

// The second way: the cluster's own kube-scheduler asks the extender through its Service, registered
// by what `berth stanza` prints.
func TestOwnSchedulerAsksTheService(t *testing.T) {
	w := release(t, asService)
	w.registerStanza()
	team := w.team("enforce")
	whole := v100Node(0)
	for index := 1; index < nodesPerPool; index++ {
		w.breakNode(v100Node(index))
	}
	w.createJob(team, trainingJob("train"))
	pod := w.running(team, "train")
	if pod.Spec.SchedulerName != corev1.DefaultSchedulerName || pod.Spec.NodeName != whole {
		t.Errorf("placed on %s by %s, want %s by %s", pod.Spec.NodeName, pod.Spec.SchedulerName, whole,
			corev1.DefaultSchedulerName)
	}
}

// With the extender's authority and certificates replaced, and then its pods, kube-scheduler goes on,
// which has read the authority once.
func TestOwnSchedulerOutlivesRenewals(t *testing.T) {
	w := release(t, asService)
	w.registerStanza()
	placements := w.place(w.team("enforce"))
	placements.AwaitMore(2)
	before := w.secret(extenderSecret).Data["tls.crt"]
	w.berth("certs", "renew", "--authority", "--namespace", namespace)
	w.Await("another certificate of another authority", func() bool {
		return !bytes.Equal(before, w.secret(extenderSecret).Data["tls.crt"])
	})
	placements.AwaitMore(2)
	w.replaceOne("extender")
	placements.AwaitMore(2)
	placements.ExpectNoFailure(6)
}

// registerStanza has the box's kube-scheduler ask the release's extender until the test ends.
func (w *world) registerStanza() {
	w.Helper()
	printed := w.berth("stanza", "--namespace", namespace)
	var stanza schedulerconfig.KubeSchedulerConfiguration
	w.Check("read the stanza\n"+printed, yaml.UnmarshalStrict([]byte(printed), &stanza))
	if len(stanza.Extenders) != 1 {
		w.Fatalf("%d extenders in\n%s", len(stanza.Extenders), printed)
	}
	w.Check("register the extender", shared.ReconfigureScheduler(w.Context(),
		func(config *schedulerconfig.KubeSchedulerConfiguration) {
			config.Extenders, config.Profiles = stanza.Extenders, stanza.Profiles
		}))
	w.Cleanup(func() { _ = shared.ReconfigureScheduler(context.Background(), nil) })
}
