package judge

import (
	"context"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
)

// Judge watches nodes and pods from its start on. Thread-safe.
type Judge struct {
	court court

	mu      sync.Mutex
	history *history

	cancel context.CancelFunc
	ended  sync.WaitGroup
}

// Start lists nodes and pods and goes on watching them until Stop or the end of ctx. Only pods that
// request one of the managed resources are judged. Berth's decisions are heard at its gRPC address;
// "": there is no Berth, and kube-scheduler alone has InFlightGrace.
func Start(
	ctx context.Context, client kubernetes.Interface, rules []Rule, managed []string, berth string,
) (*Judge, error) {
	ctx, cancel := context.WithCancel(ctx)
	j := &Judge{court: court{rules, managed, berth != ""}, history: newHistory(), cancel: cancel}
	if berth != "" {
		j.ended.Go(func() { followDecisions(ctx, berth, j.sawDecision) })
	}
	for _, kind := range []follower{j.nodes(client), j.pods(client)} {
		if err := kind.list(ctx); err != nil {
			cancel()
			return nil, err
		}
		j.ended.Go(func() { kind.follow(ctx) })
	}
	return j, nil
}

// Stop ends the watches.
func (j *Judge) Stop() {
	j.cancel()
	j.ended.Wait()
}

// Report judges all that has been seen so far.
func (j *Judge) Report() Report {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.court.judge(j.history)
}

// SeesBroken tells whether the condition of the node was True when the judge last saw it.
func (j *Judge) SeesBroken(node, condition string) bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	changes := j.history.changes[conditionOf{node, condition}]
	return len(changes) > 0 && changes[len(changes)-1].broken
}

func (j *Judge) nodes(client kubernetes.Interface) follower {
	api := client.CoreV1().Nodes()
	return &follow[*corev1.Node]{
		lists:   lister(api.List, func(l *corev1.NodeList) []corev1.Node { return l.Items }),
		watches: api.Watch,
		saw: func(node *corev1.Node, when window) {
			j.record(func(now time.Time) { j.history.sawNode(node, when, now) })
		},
		lost: func(node *corev1.Node, when window) {
			j.record(func(now time.Time) { j.history.lostNode(node.Name, when, now) })
		},
	}
}

func (j *Judge) pods(client kubernetes.Interface) follower {
	api := client.CoreV1().Pods(metav1.NamespaceAll)
	return &follow[*corev1.Pod]{
		lists:   lister(api.List, func(l *corev1.PodList) []corev1.Pod { return l.Items }),
		watches: api.Watch,
		saw: func(pod *corev1.Pod, when window) {
			j.record(func(now time.Time) { j.history.sawPod(pod, when, now) })
		},
		lost: func(*corev1.Pod, window) {}, // a pod that has ended was placed all the same
	}
}

// lister makes the typed list call of a kind into the one that follow needs.
func lister[L metav1.ListInterface, T any](
	list func(context.Context, metav1.ListOptions) (L, error), items func(L) []T,
) func(context.Context) ([]*T, string, error) {
	return func(ctx context.Context) ([]*T, string, error) {
		got, err := list(ctx, metav1.ListOptions{})
		if err != nil {
			return nil, "", err
		}
		return pointers(items(got)), got.GetResourceVersion(), nil
	}
}

func (j *Judge) sawDecision(d decision) {
	j.record(func(time.Time) { j.history.sawDecision(d) })
}

func (j *Judge) record(write func(now time.Time)) {
	j.mu.Lock()
	defer j.mu.Unlock()
	write(time.Now())
}

func pointers[T any](items []T) []*T {
	result := make([]*T, len(items))
	for i := range items {
		result[i] = &items[i]
	}
	return result
}
