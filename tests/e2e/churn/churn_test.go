package churn

import (
	"context"
	"errors"
	"reflect"
	"sync/atomic"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"

	"berth.dev/berth/tests/e2e/fleet"
)

func lives(pods []*corev1.Pod) []string {
	var all []string
	for _, pod := range pods {
		all = append(all, pod.Annotations[AnnotationRunsFor])
	}
	return all
}

func TestLivesAreDecidedByTheSeedAndWithinTheirSpan(t *testing.T) {
	span := Span{2 * time.Second, 3 * time.Second}
	one, same, other := fleet.Workload(1, 30), fleet.Workload(1, 30), fleet.Workload(1, 30)
	Limit(one, 1, span)
	Limit(same, 1, span)
	Limit(other, 2, span)
	if !reflect.DeepEqual(lives(one), lives(same)) {
		t.Error("the same seed drew other lives")
	}
	if reflect.DeepEqual(lives(one), lives(other)) {
		t.Error("another seed drew the same lives")
	}
	for _, text := range lives(one) {
		if life, err := time.ParseDuration(text); err != nil || life < span.Least || life > span.Most {
			t.Errorf("life %q (%v) is not in %v", text, err, span)
		}
	}
}

func TestCreateCallsBeforeEachPod(t *testing.T) {
	client := fake.NewClientset()
	pods := fleet.Workload(1, 3)
	var seen []int
	err := Create(t.Context(), client, pods, time.Microsecond, func(index int) error {
		list, err := client.CoreV1().Pods(metav1.NamespaceDefault).
			List(t.Context(), metav1.ListOptions{})
		seen = append(seen, index, len(list.Items))
		return err
	})
	if want := []int{0, 0, 1, 1, 2, 2}; err != nil || !reflect.DeepEqual(seen, want) {
		t.Errorf("index and pods there %v (%v), want %v", seen, err, want)
	}
}

func TestCreateEndsWithWhatBeforeSays(t *testing.T) {
	enough := errors.New("enough")
	err := Create(t.Context(), fake.NewClientset(), fleet.Workload(1, 3), time.Microsecond,
		func(int) error { return enough })
	if !errors.Is(err, enough) {
		t.Errorf("error %v, want %v", err, enough)
	}
}

// clusterOf is an API server with the nodes of a small fleet, and their names.
func clusterOf(t *testing.T) (*fake.Clientset, []string) {
	t.Helper()
	var objects []runtime.Object
	var names []string
	for _, node := range fleet.Nodes(fleet.Small(1), time.Now()) {
		objects = append(objects, node)
		names = append(names, node.Name)
	}
	return fake.NewClientset(objects...), names
}

// broken lists the nodes that have a fault, by condition or by the annotation that asks for one.
func broken(t *testing.T, client *fake.Clientset) map[string]bool {
	t.Helper()
	nodes, err := client.CoreV1().Nodes().List(context.Background(), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]bool{}
	for _, node := range nodes.Items {
		if node.Annotations[fleet.FaultAnnotation] != "" {
			found[node.Name] = true
		}
		for _, condition := range node.Status.Conditions {
			if condition.Type != corev1.NodeReady && condition.Status == corev1.ConditionTrue {
				found[node.Name] = true
			}
		}
	}
	return found
}

func TestStormBreaksAndRepairs(t *testing.T) {
	client, names := clusterOf(t)
	storm := StartStorm(t.Context(), client, Weather{Nodes: names, Every: time.Millisecond,
		Lasts: Span{time.Millisecond, 5 * time.Millisecond}, Seed: 1})
	for storm.Begun() < 3*len(names) { // every node breaks again and again
		time.Sleep(time.Millisecond)
	}
	if err := storm.Stop(t.Context()); err != nil {
		t.Fatal(err)
	}
	if left := broken(t, client); len(left) != 0 {
		t.Errorf("left broken: %v", left)
	}
}

func TestPausedStormChangesNothing(t *testing.T) {
	client, names := clusterOf(t)
	storm := StartStorm(t.Context(), client, Weather{Nodes: names, Every: time.Millisecond,
		Lasts: Span{time.Hour, time.Hour}, Seed: 1})
	for storm.Begun() == 0 {
		time.Sleep(time.Millisecond)
	}
	resume := storm.Pause()
	before := len(client.Actions())
	for range 20 { // gusts that must not blow
		time.Sleep(time.Millisecond)
	}
	if after := len(client.Actions()); after != before {
		t.Errorf("%d calls while paused", after-before)
	}
	resume()
	if err := storm.Stop(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// Without KWOK an annotation breaks nothing.
func TestStormOfPatchesOnlyAnnotatesNoNode(t *testing.T) {
	client, names := clusterOf(t)
	storm := StartStorm(t.Context(), client, Weather{Nodes: names, Every: time.Millisecond,
		Lasts: Span{time.Hour, time.Hour}, Seed: 1, PatchOnly: true})
	for storm.Begun() < len(names) {
		time.Sleep(time.Millisecond)
	}
	defer storm.Pause()()
	nodes, err := client.CoreV1().Nodes().List(t.Context(), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, node := range nodes.Items {
		if annotation := node.Annotations[fleet.FaultAnnotation]; annotation != "" {
			t.Errorf("%s is annotated with %s", node.Name, annotation)
		}
	}
}

func TestStormOutlastsAnAPIServerThatIsAway(t *testing.T) {
	client, names := clusterOf(t)
	var away atomic.Bool
	away.Store(true)
	client.PrependReactor("patch", "nodes",
		func(clienttesting.Action) (bool, runtime.Object, error) {
			return away.Load(), nil, errors.New("connection refused")
		})
	storm := StartStorm(t.Context(), client, Weather{Nodes: names, Every: time.Millisecond,
		Lasts: Span{time.Millisecond, time.Millisecond}, Seed: 1})
	for len(client.Actions()) < 10 {
		time.Sleep(time.Millisecond)
	}
	away.Store(false)
	for storm.Begun() == 0 {
		time.Sleep(time.Millisecond)
	}
	if err := storm.Stop(t.Context()); err != nil {
		t.Fatal(err)
	}
	if left := broken(t, client); len(left) != 0 {
		t.Errorf("left broken: %v", left)
	}
}
