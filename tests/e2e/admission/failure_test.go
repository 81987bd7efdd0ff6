package admission

import (
	"context"
	"fmt"
	"testing"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"berth.dev/berth/tests/e2e/box"
	"berth.dev/berth/tests/e2e/load"
)

// stormWorkers are many more than the 25 connections to Berth that kube-apiserver keeps
// (k8s.io/client-go/transport/cache.go), so it opens others all the time.
const stormWorkers = 100

// ownServer is an admission server that the test may harm.
func ownServer(
	t *testing.T, name string, failure admissionv1.FailurePolicyType,
) (*world, *box.Admission) {
	t.Helper()
	w := inServers(t, name, "enforce")
	admission, err := startServer(t.Context(), name, nil)
	w.Check("start "+name, err)
	registration, err := registrationOf(t.Context(), name)
	w.Check("prepare "+name, err)
	registration.FailurePolicy = failure
	w.Check("register "+name, shared.RegisterAdmission(t.Context(), registration, admission))
	t.Cleanup(func() {
		ctx := context.Background() // t's own has ended
		// Deregister tries pods, which has to be possible.
		if !admission.Running() {
			w.Check("start "+name+" again", admission.Start(ctx))
		}
		w.Check("deregister "+name, shared.Deregister(ctx, registration))
		admission.Stop()
	})
	return w, admission
}

func TestWithBerthAwayPodsAreCreatedAsWritten(t *testing.T) {
	w, admission := ownServer(t, "ignored", admissionv1.Ignore)
	admission.Kill()
	if got := w.createPod(pod(container("train", "", ""))); got.Status.QOSClass != corev1.PodQOSBestEffort {
		t.Errorf("is %s", got.Status.QOSClass)
	}
	w.Check("start again", admission.Start(t.Context()))
	w.awaitSafe()
}

// awaitSafe waits until pods are made safe again. kube-apiserver may hold dead connections: what
// mutation misses because of one, validation denies.
func (w *world) awaitSafe() {
	w.Helper()
	w.Await("pods to be made safe again", func() bool {
		got, err := w.tryPod(pod(container("train", "", "")))
		return err == nil && got.Status.QOSClass == corev1.PodQOSGuaranteed
	})
}

// Where the policy is Fail nothing unsafe starts, but nodes keep their daemons, and Jobs go on when
// Berth is back.
func TestWithBerthAwayAndFailNothingUnsafeStarts(t *testing.T) {
	w, admission := ownServer(t, "failing", admissionv1.Fail)
	w.createJob(job("train", deviceSpec))
	lost := w.running(1)[0]
	admission.Kill()
	evict(w, lost)
	_, err := w.tryPod(pod(container("train", "", "")))
	if err == nil || !contains(err.Error(), "failed calling webhook") {
		t.Errorf("a pod: %v, want kube-apiserver's refusal", err)
	}
	agent := podSpec(container("agent", "", ""))
	agent.RestartPolicy = corev1.RestartPolicyAlways
	agent.NodeSelector = map[string]string{corev1.LabelHostname: "cpu-001"}
	daemons := w.as("system:serviceaccount:kube-system:daemon-set-controller")
	daemon := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{GenerateName: "agent-"}, Spec: agent}
	if got := daemons.createPod(daemon); got.Status.QOSClass != corev1.PodQOSBestEffort {
		t.Errorf("the daemon is %s", got.Status.QOSClass)
	}
	w.awaitRefusal("train")
	w.Check("start again", admission.Start(t.Context()))
	another := w.runningOf("train", 1)[0]
	if another.UID == lost.UID || another.Status.QOSClass != corev1.PodQOSGuaranteed {
		t.Errorf("after %s was evicted, %s runs and is %s", lost.Name, another.Name,
			another.Status.QOSClass)
	}
	w.awaitSafe()
}

// awaitRefusal waits until the Job controller wanted to make a pod and was not let.
func (w *world) awaitRefusal(job string) {
	w.Helper()
	w.awaitFor(retryTimeout, "a refused pod of "+job, func() bool {
		events, err := w.client.CoreV1().Events(w.namespace).List(w.Context(), metav1.ListOptions{
			FieldSelector: "reason=FailedCreate,involvedObject.name=" + job})
		w.Check("list events", err)
		return len(events.Items) > 0
	})
}

// storm creates pods, many at once, again and again; one that is not safe counts as a failure.
func (w *world) storm() *load.Load {
	return load.Start(w, "pods", stormWorkers, 0, func(context.Context) error {
		p := gpuPod()
		p.Spec.SchedulerName = "nobody" // there is no room for all of them
		got, err := w.tryPod(p)
		if err == nil && got.Status.QOSClass != corev1.PodQOSGuaranteed {
			err = fmt.Errorf("%s is %s", got.Name, got.Status.QOSClass)
		}
		return err
	})
}

// With Fail a pod that Berth did not answer for in time would be an error, with Ignore unsafe.
func TestThousandPodsAHundredAtOnce(t *testing.T) {
	w, _ := ownServer(t, "stormy", admissionv1.Fail)
	storm := w.storm()
	storm.AwaitMore(1000)
	storm.ExpectNoFailure(1000)
}

// Connections that are open go on; new ones see the new certificate.
func TestCertificateIsReplacedInTheMiddle(t *testing.T) {
	w, admission := ownServer(t, "rotating", admissionv1.Fail)
	storm := w.storm()
	storm.AwaitMore(stormWorkers)
	serial, err := admission.RenewCertificate()
	w.Check("renew", err)
	w.Await("the new certificate to be served", func() bool {
		served, err := admission.ServedSerial(t.Context())
		return err == nil && served == serial
	})
	before := w.connections(admission)
	w.Await("kube-apiserver to open another connection", func() bool {
		return w.connections(admission) > before
	})
	storm.AwaitMore(stormWorkers + 1) // one of them began after it
	storm.ExpectNoFailure(0)
}

// connections is how many were opened to the admission server so far.
func (w *world) connections(admission *box.Admission) float64 {
	w.Helper()
	samples, err := admission.Metrics(w.Context())
	w.Check("read metrics", err)
	return samples.Sum("berth_http_connections_total", `listener="admission"`)
}
