package admission

import (
	"context"
	"sync"
	"testing"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"berth.dev/berth/tests/e2e/box"
)

const (
	stormPods    = 1000
	stormWorkers = 32
)

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

// storm creates pods, many at a time, and returns what was wrong with those that are not Guaranteed.
func (w *world) storm(pods int) []string {
	w.Helper()
	var mu sync.Mutex
	var unsafe []string
	queue := make(chan struct{})
	var workers sync.WaitGroup
	for range stormWorkers {
		workers.Go(func() {
			for range queue {
				p := gpuPod()
				p.Spec.SchedulerName = "nobody" // there is no room for all of them
				got, err := w.tryPod(p)
				if err != nil || got.Status.QOSClass != corev1.PodQOSGuaranteed {
					mu.Lock()
					unsafe = append(unsafe, errorOr(err, "not Guaranteed"))
					mu.Unlock()
				}
			}
		})
	}
	for range pods {
		queue <- struct{}{}
	}
	close(queue)
	workers.Wait()
	return unsafe
}

func errorOr(err error, text string) string {
	if err != nil {
		return err.Error()
	}
	return text
}

// With Fail a pod that Berth did not answer for in time would be an error, with Ignore unsafe.
func TestThousandPodsAtOnce(t *testing.T) {
	w, _ := ownServer(t, "stormy", admissionv1.Fail)
	if unsafe := w.storm(stormPods); len(unsafe) > 0 {
		t.Errorf("%d of %d pods: %s", len(unsafe), stormPods, unsafe[0])
	}
}

// Connections that are open go on; new ones see the new certificate.
func TestCertificateIsReplacedInTheMiddle(t *testing.T) {
	w, admission := ownServer(t, "rotating", admissionv1.Fail)
	storm, over := context.WithCancel(t.Context())
	go func() {
		defer over()
		if unsafe := w.storm(stormPods); len(unsafe) > 0 {
			t.Errorf("%d of %d pods: %s", len(unsafe), stormPods, unsafe[0])
		}
	}()
	defer func() { <-storm.Done() }()
	w.Await("the storm to be in the middle", func() bool { return len(w.pods()) > stormPods/4 })
	serial, err := admission.RenewCertificate()
	w.Check("renew", err)
	w.Await("the new certificate to be served", func() bool {
		served, err := admission.ServedSerial(t.Context())
		return err == nil && served == serial
	})
}
