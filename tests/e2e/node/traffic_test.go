//go:build cluster

package node

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"berth.dev/berth/tests/e2e/fleet"
	"berth.dev/berth/tests/e2e/load"
)

const (
	annotationMade = "berth.dev/applied"
	conditionLost  = "GPUIsLost"

	trafficWorkers  = 4
	trafficPause    = 100 * time.Millisecond // of each worker
	inspectionPause = 500 * time.Millisecond
	leastTraffic    = 40
)

// trafficPools are for the pods of traffic, so many that those fit that are not inspected yet. The
// first node of each is broken.
func trafficPools() []fleet.Pool {
	var pools []fleet.Pool
	for _, pool := range fleet.Small(20) {
		if pool.Accelerator == "V100" || pool.Accelerator == "A100" {
			pool.Name = "traffic-" + pool.Name
			pools = append(pools, pool)
		}
	}
	return pools
}

// traffic is errands of a namespace, created one after the other while something happens, and their
// pods, each judged and deleted when it has been placed, if anybody has to.
type traffic struct {
	r           *release
	namespace   string
	errands     []errand
	expected    map[string]*stored // what Berth makes of each errand
	next        atomic.Int64
	created     atomic.Int64
	bare        atomic.Int64 // complete errands that Berth did not see
	unanswered  float64      // reviews that kube-apiserver did without, before
	creates     *load.Load
	inspections *load.Load

	mu     sync.Mutex
	judged map[types.UID]bool
}

// startTraffic begins when the webhook serves. What it creates has to be stored as Berth makes it,
// complete errands apart, which may be stored as they are.
func (r *release) startTraffic(namespace string, errands []errand) *traffic {
	r.Helper()
	t := &traffic{r: r, namespace: namespace, errands: errands, expected: map[string]*stored{},
		judged: map[types.UID]bool{}}
	for _, errand := range errands {
		r.Await("the webhook to change a "+errand.name, func() bool {
			made, err := errand.create(r.Context(), namespace, metav1.DryRunAll)
			t.expected[errand.name] = made
			return err == nil && made.Annotations[annotationMade] != ""
		})
	}
	t.unanswered = r.unanswered()
	t.creates = load.Start(r, "creates", trafficWorkers, trafficPause, t.create)
	t.inspections = load.Start(r, "inspections", 1, inspectionPause, t.inspect)
	return t
}

// awaitMore waits until so many more were created.
func (t *traffic) awaitMore(count int) {
	t.r.Helper()
	wanted := t.creates.Done() + count
	t.r.Await(fmt.Sprintf("%d creates", wanted), func() bool { return t.creates.Done() >= wanted })
}

// expectNothingLost ends the traffic and fails the test unless all of it, and that much, was created
// and placed as it ought to be, and every review of careless errands was answered.
func (t *traffic) expectNothingLost(atLeast int) {
	t.r.Helper()
	t.creates.ExpectNoFailure(atLeast)
	t.r.Await("all pods to be placed", func() bool { return t.settled() >= t.created.Load() })
	t.inspections.ExpectNoFailure(1)
	if lost := t.lostReviews(); lost > 0 && !t.errands[0].isComplete {
		t.r.Errorf("%.0f reviews were not answered", lost)
	}
}

// lostReviews are those without whose answer kube-apiserver has gone on.
func (t *traffic) lostReviews() float64 {
	t.r.Helper()
	return t.r.unanswered() - t.unanswered
}

func (r *release) unanswered() float64 {
	r.Helper()
	samples, err := shared.APIMetrics(r.Context())
	r.Check("scrape kube-apiserver", err)
	return samples.Sum("apiserver_admission_webhook_fail_open_count")
}

// expectSeen fails the test if more than so many complete errands were stored as they were.
func (t *traffic) expectSeen(most int64) {
	t.r.Helper()
	if bare := t.bare.Load(); bare > most {
		t.r.Errorf("Berth saw nothing of %d objects, want %d at most", bare, most)
	}
}

func (t *traffic) create(ctx context.Context) error {
	errand := t.errands[t.next.Add(1)%int64(len(t.errands))]
	made, err := errand.create(ctx, t.namespace)
	if err != nil {
		return err
	}
	t.created.Add(1)
	if made.equals(t.expected[errand.name]) {
		return nil
	}
	if errand.isComplete && made.Annotations[annotationMade] == "" {
		t.bare.Add(1)
		return nil
	}
	return fmt.Errorf("%s was stored with %v, want %v", errand.name, made, t.expected[errand.name])
}

// inspect judges the pods that were placed since, or that nobody has to place.
func (t *traffic) inspect(ctx context.Context) error {
	pods, err := shared.Client.CoreV1().Pods(t.namespace).List(ctx, metav1.ListOptions{})
	if err != nil {
		return err
	}
	list, err := shared.Client.CoreV1().Nodes().List(ctx, metav1.ListOptions{ResourceVersion: "0"})
	if err != nil {
		return err
	}
	nodes := map[string]*corev1.Node{}
	for i := range list.Items {
		nodes[list.Items[i].Name] = &list.Items[i]
	}
	var wrong []error
	for i := range pods.Items {
		pod := &pods.Items[i]
		errand := t.errandOf(pod)
		if (pod.Spec.NodeName != "" || errand.accelerator == "") && t.isNew(pod.UID) {
			wrong = append(wrong, errand.judge(pod, nodes), t.discard(ctx, pod))
		}
	}
	return errors.Join(wrong...)
}

// isNew notes that a pod has been judged, and tells whether it has not before.
func (t *traffic) isNew(uid types.UID) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	known := t.judged[uid]
	t.judged[uid] = true
	return !known
}

// settled is how many pods have been judged.
func (t *traffic) settled() int64 {
	t.mu.Lock()
	defer t.mu.Unlock()
	return int64(len(t.judged))
}

func (t *traffic) errandOf(pod *corev1.Pod) errand {
	for _, errand := range t.errands {
		if errand.name == pod.Labels[fleet.LabelAsks] {
			return errand
		}
	}
	return errand{name: "unknown", accelerator: "unknown"} // of which no node has any: judged wrong
}

// discard deletes a pod, or the Job that would make another one.
func (t *traffic) discard(ctx context.Context, pod *corev1.Pod) error {
	if job := metav1.GetControllerOf(pod); job != nil {
		inBackground := metav1.DeletePropagationBackground
		return shared.Client.BatchV1().Jobs(t.namespace).Delete(ctx, job.Name,
			metav1.DeleteOptions{PropagationPolicy: &inBackground})
	}
	return shared.Client.CoreV1().Pods(t.namespace).Delete(ctx, pod.Name, metav1.DeleteOptions{})
}
