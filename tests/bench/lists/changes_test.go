package lists

import (
	"slices"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes"

	"berth.dev/berth/tests/e2e/fleet"
)

// watched is a watch of nodes by client-go.
type watched struct {
	*testing.T
	stream  watch.Interface
	version string // of what came last
}

// watchNodes begins after the version, or with a list where that is empty.
func watchNodes(t *testing.T, client kubernetes.Interface, version string) *watched {
	t.Helper()
	options := metav1.ListOptions{ResourceVersion: version, TimeoutSeconds: new(int64(60))}
	if version == "" {
		options.SendInitialEvents, options.AllowWatchBookmarks = new(true), true
		options.ResourceVersionMatch = metav1.ResourceVersionMatchNotOlderThan
	}
	stream, err := client.CoreV1().Nodes().Watch(t.Context(), options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(stream.Stop)
	return &watched{T: t, stream: stream}
}

func (w *watched) expect(changes ...Change) {
	w.Helper()
	for _, want := range changes {
		event := <-w.stream.ResultChan()
		node, isNode := event.Object.(*corev1.Node)
		if event.Type != want.Type || !isNode || node.Name != want.Node.Name {
			w.Fatalf("event %v of %v, want %s of %q", event.Type, event.Object, want.Type,
				want.Node.Name)
		}
		w.version = node.ResourceVersion
	}
}

func (w *watched) expectList(nodes []*corev1.Node) {
	w.Helper()
	for _, node := range nodes {
		w.expect(Change{watch.Added, node})
	}
	w.expect(Change{watch.Bookmark, &corev1.Node{}})
}

func prepare(t *testing.T, server *Server, changes []Change) [][]byte {
	t.Helper()
	frames, err := server.Prepare(changes)
	if err != nil || len(frames) != len(changes) {
		t.Fatalf("%d frames for %d changes (%v)", len(frames), len(changes), err)
	}
	return frames
}

func TestChangesAreSeenByWhoWatchesAndByWhoComesBack(t *testing.T) {
	nodes := fleet.Nodes(fleet.Small(1), time.Now())
	server, client := connect(t, Cluster{Nodes: slices.Values(nodes)})
	first := watchNodes(t, client, "")
	first.expectList(nodes)
	listed := first.version
	changes := []Change{{watch.Modified, nodes[0]}, {watch.Deleted, nodes[1]},
		{watch.Added, nodes[1]}}
	frames := prepare(t, server, changes)
	server.Tell(frames[:1])
	first.expect(changes[0])
	middle := first.version
	server.Tell(frames[1:])
	first.expect(changes[1:]...)

	watchNodes(t, client, listed).expect(changes...)
	watchNodes(t, client, middle).expect(changes[1:]...)
	last := watchNodes(t, client, first.version)
	late := watchNodes(t, client, "")
	late.expectList(nodes)
	late.expect(changes...)
	more := []Change{{watch.Deleted, nodes[2]}}
	server.Tell(prepare(t, server, more))
	for _, w := range []*watched{first, last, late} {
		w.expect(more...)
	}
	if nodes[0].ResourceVersion != "" {
		t.Errorf("the node that was given has version %s now", nodes[0].ResourceVersion)
	}
}

func TestOnlyNodesChange(t *testing.T) {
	nodes := fleet.Nodes(fleet.Small(1), time.Now())
	server, client := connect(t, Cluster{})
	pods, err := client.CoreV1().Pods("").Watch(t.Context(),
		metav1.ListOptions{SendInitialEvents: new(true), TimeoutSeconds: new(int64(1))})
	if err != nil {
		t.Fatal(err)
	}
	defer pods.Stop()
	server.Tell(prepare(t, server, []Change{{watch.Added, nodes[0]}}))
	var came []watch.EventType
	for event := range pods.ResultChan() { // until the timeout that was asked for
		came = append(came, event.Type)
	}
	if !slices.Equal(came, []watch.EventType{watch.Bookmark}) {
		t.Errorf("events %v of pods, want a bookmark alone", came)
	}
}

// What is remembered is bounded; who was away for longer is told so as by kube-apiserver.
func TestOldChangesAreForgotten(t *testing.T) {
	server, client := connect(t, Cluster{})
	node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "a"}}
	frames := prepare(t, server, slices.Repeat([]Change{{watch.Modified, node}}, remembered))
	server.Tell(frames)
	server.Tell(prepare(t, server, []Change{{watch.Deleted, node}}))
	_, err := client.CoreV1().Nodes().Watch(t.Context(),
		metav1.ListOptions{ResourceVersion: "1000000000", TimeoutSeconds: new(int64(60))})
	if !apierrors.IsGone(err) {
		t.Errorf("error %v, want that it is gone", err)
	}
	w := watchNodes(t, client, "1000065535")
	w.expect(Change{watch.Modified, node}, Change{watch.Deleted, node})
	if w.version != "1000065537" {
		t.Errorf("the last change has version %s", w.version)
	}
}
